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

extension ListChange {
    /// Makes a list what it is after the step.
    ///
    /// - Precondition: The indexes are the list's.
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
