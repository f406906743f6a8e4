import TidemarkStore

/// One step that leads from a list to the next.
public enum ListChange<Element> {
    case insert(Element, at: Int)
    case remove(at: Int)
    /// Another value of the same element.
    case update(Element, at: Int)
    /// Taken out at `from`, then put in so that it stands at `to`.
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

extension Array {
    /// Makes the list what it is after the step.
    ///
    /// - Precondition: The indexes are the list's.
    /// - Complexity: O(n).
    public mutating func apply(_ change: ListChange<Element>) {
        switch change {
        case .insert(let element, let index): insert(element, at: index)
        case .remove(let index): remove(at: index)
        case .update(let element, let index): self[index] = element
        case .move(let from, let to): insert(remove(at: from), at: to)
        }
    }
}
