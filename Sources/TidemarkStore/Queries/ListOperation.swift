/// One step that leads from a list to the next: a subset of RFC 6902 over whole elements.
package enum ListOperation<Element> {
    case add(Element, at: Int)
    case remove(at: Int)
    case replace(Element, at: Int)
    /// The element is removed at `from`, then inserted so that it is at `to`.
    case move(from: Int, to: Int)
}

extension ListOperation: Equatable where Element: Equatable {}
extension ListOperation: Sendable where Element: Sendable {}

extension ListOperation {
    /// Returns the same step with other elements.
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
