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
