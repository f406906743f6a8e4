import TidemarkStore

/// One step from a list to the next.
public enum ListChange<Element> {
    case insert(Element, at: Int)
    case remove(at: Int)
    /// A new value of the same element.
    case update(Element, at: Int)
    /// Removed at `from`, then inserted so that it stands at `to`.
    case move(from: Int, to: Int)
}

extension ListChange: Equatable where Element: Equatable {}
extension ListChange: Sendable where Element: Sendable {}

extension ListChange {
    package init(_ operation: ListOperation<Element>) {
        switch operation {
        case .add(let element, let index): self = .insert(element, at: index)
        case .remove(let index): self = .remove(at: index)
        case .replace(let element, let index): self = .update(element, at: index)
        case .move(let from, let to): self = .move(from: from, to: to)
        }
    }
}

extension ListChange {
    /// Applies the step to a list.
    ///
    /// - Precondition: The indexes are valid in the list.
    /// - Complexity: O(list.count).
    public func apply(to list: inout [Element]) {
        switch self {
        case .insert(let element, let index): list.insert(element, at: index)
        case .remove(let index): list.remove(at: index)
        case .update(let element, let index): list[index] = element
        case .move(let from, let to): list.insert(list.remove(at: from), at: to)
        }
    }
}
