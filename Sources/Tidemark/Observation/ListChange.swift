import TidemarkStore

/// One step from a list to the next; apply the steps of an update in order.
///
/// ```swift
/// var names = ["Sea", "Shore"]
/// let changes: [ListChange<String>] = [.insert("Dune", at: 0), .move(from: 2, to: 1), .remove(at: 2)]
/// for change in changes { change.apply(to: &names) }
/// print(names)  // ["Dune", "Shore"]
/// ```
public enum ListChange<Element> {
    /// Insert an element at an index.
    case insert(Element, at: Int)
    /// Remove the element at an index.
    case remove(at: Int)
    /// Replace the element at an index with a newer value of itself.
    case update(Element, at: Int)
    /// Remove the element at `from`, then insert it at `to` of the shortened list.
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
