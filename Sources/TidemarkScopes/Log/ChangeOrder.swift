/// The entities of a scope by the position at which they changed last.
///
/// An entry is outdated once its entity changed again or left; outdated ones are removed when they are the majority.
struct ChangeOrder: Sendable {
    private var entries: [(position: ScopePosition, number: UInt32)] = []

    /// Notes a change. Positions only grow.
    mutating func append(_ number: UInt32, at position: ScopePosition) { entries.append((position, number)) }

    /// Removes outdated entries if there are many.
    ///
    /// - Complexity: O(1) amortized over ``append(_:at:)``.
    mutating func tidy(memberCount: Int, isCurrent: (UInt32, ScopePosition) -> Bool) {
        guard entries.count > 2 * memberCount + 64 else { return }
        entries.removeAll { !isCurrent($0.number, $0.position) }
    }

    /// Returns the entities that changed after a position, by current entries alone.
    ///
    /// - Complexity: O(entries since).
    func numbers(since position: ScopePosition, isCurrent: (UInt32, ScopePosition) -> Bool) -> [UInt32] {
        var (low, high) = (0, entries.count)
        while low < high {
            let middle = (low + high) / 2
            if entries[middle].position > position { high = middle } else { low = middle + 1 }
        }
        return entries[low...].filter { isCurrent($0.number, $0.position) }.map(\.number)
    }
}
