/// One step that leads from a list to the next: a subset of RFC 6902 over whole elements.
package enum ListOperation<Element> {
    case add(Element, at: Int)
    case remove(at: Int)
    case replace(Element, at: Int)
    /// Taken out at `from`, then put in so that it stands at `to`.
    case move(from: Int, to: Int)
}

extension ListOperation: Equatable where Element: Equatable {}
extension ListOperation: Sendable where Element: Sendable {}

extension ListOperation {
    /// The same step over other elements.
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
