/// One step from one list to the next: the operations of RFC 6902 that concern whole elements.
package enum ListOperation<Element> {
    /// Insert an element at an index.
    case add(Element, at: Int)
    /// Remove the element at an index.
    case remove(at: Int)
    /// Replace the element at an index.
    case replace(Element, at: Int)
    /// Remove the element at `from`, then insert it so that its index is `to`.
    case move(from: Int, to: Int)
}

extension ListOperation: Equatable where Element: Equatable {}
extension ListOperation: Sendable where Element: Sendable {}

extension ListOperation {
    /// Returns the same step with transformed elements.
    package func map<Other, Failure: Error>(
        _ transform: (Element) throws(Failure) -> Other
    ) throws(Failure) -> ListOperation<Other> {
        switch self {
        case .add(let element, let index): .add(try transform(element), at: index)
        case .remove(let index): .remove(at: index)
        case .replace(let element, let index): .replace(try transform(element), at: index)
        case .move(let from, let to): .move(from: from, to: to)
        }
    }
}
