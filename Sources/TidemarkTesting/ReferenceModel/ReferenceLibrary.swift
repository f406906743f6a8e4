/// Where one library stands in its log.
///
/// - Source: Protocol/sequencing.md.
package struct ReferenceLibrary: Equatable, Sendable {
    /// The last sequence that is settled; -1 when a hole at 0 was the first thing heard; nil before any.
    package var cursor: Int64?
    /// Nil until an epoch is heard.
    package var epoch: [UInt8]?
    /// Sorted by sequence, one entry a sequence, all above ``cursor``.
    package var held: [ReferenceHeld] = []
    /// The highest `last_sequence` that a heartbeat named ahead of the cursor.
    package var tail: Int64?
    /// Sorted, disjoint, never adjacent.
    package var lost: [ClosedRange<Int64>] = []
    /// Whether anything was lost or the log began anew. Stays until a query is refreshed.
    package var isStale = false
    /// Grows each time the log begins anew.
    package var generation = 0

    package init() {}

    /// Whether something between the cursor and what was heard is missing.
    package var hasGap: Bool {
        guard let cursor else { return false }
        if !held.isEmpty { return true }
        guard let tail else { return false }
        return tail > cursor
    }

    /// The state as the summary names it. `reconciling` never shows: the model reconciles in one step.
    package var state: String {
        if hasGap { return "gap" }
        if isStale { return "stale" }
        return cursor == nil ? "cold" : "live"
    }

    /// Adds to the lost ranges; ranges that touch become one.
    package mutating func recordLost(_ range: ClosedRange<Int64>) {
        var numbers = lost + [range]
        numbers.sort { $0.lowerBound < $1.lowerBound }
        var merged: [ClosedRange<Int64>] = []
        for next in numbers {
            if let last = merged.last, next.lowerBound <= last.upperBound + 1 {
                merged[merged.count - 1] = last.lowerBound...max(last.upperBound, next.upperBound)
            } else {
                merged.append(next)
            }
        }
        lost = merged
        isStale = true
    }

    /// Puts something behind the gap, in its place.
    package mutating func hold(_ entry: ReferenceHeld) {
        let before = held.lastIndex { $0.sequence < entry.sequence }
        held.insert(entry, at: before.map { $0 + 1 } ?? 0)
    }

    /// Begins the log anew: nothing held, nothing lost, no cursor, stale.
    package mutating func beginAnew(epoch: [UInt8]?) {
        self.epoch = epoch
        cursor = nil
        held = []
        tail = nil
        lost = []
        isStale = true
        generation += 1
    }
}
