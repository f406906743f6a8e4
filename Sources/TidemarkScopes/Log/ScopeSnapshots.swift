import TidemarkModel
import TidemarkViews

/// What a scope showed at the positions of which deliveries are under way.
///
/// Nothing is copied when a delivery begins. When an entity changes or leaves, what was sent of it before is kept for
/// the open positions at which it was in the scope. Deliveries of one position share it.
struct ScopeSnapshots: Sendable {
    private struct Snapshot: Sendable {
        var holderCount = 0
        /// What was sent of entities that changed since.
        var saved: [ViewKey: [UInt8]] = [:]
        /// All entities of the position in key order, once a state of it was begun.
        var keys: [ViewKey]?
    }

    private var open: [ScopePosition: Snapshot] = [:]

    /// Returns true if a delivery of a position may begin.
    func canHold(_ position: ScopePosition, _ limits: ScopeLimits) -> Bool {
        open[position] != nil || open.count < limits.snapshotCountMax
    }

    mutating func hold(_ position: ScopePosition) { open[position, default: Snapshot()].holderCount += 1 }

    mutating func release(_ position: ScopePosition) {
        guard let count = open[position]?.holderCount else { return }
        if count == 1 { open[position] = nil } else { open[position]?.holderCount = count - 1 }
    }

    /// Keeps what was sent of an entity that is about to change.
    ///
    /// - Parameter entered: Since when the entity is in the scope.
    /// - Complexity: O(open positions).
    mutating func save(_ key: ViewKey, _ sent: [UInt8], entered: ScopePosition) {
        for position in open.keys where position >= entered && open[position]?.saved[key] == nil {
            open[position]?.saved[key] = sent
        }
    }

    /// What was sent of an entity at an open position; nil if that did not change since.
    func saved(_ key: ViewKey, at position: ScopePosition) -> [UInt8]? { open[position]?.saved[key] }

    /// The entities of a position, if another delivery sorted them.
    func keys(at position: ScopePosition) -> [ViewKey]? { open[position]?.keys }

    mutating func keep(_ keys: [ViewKey], at position: ScopePosition) { open[position]?.keys = keys }

    /// True if no delivery is under way.
    var isEmpty: Bool { open.isEmpty }
}
