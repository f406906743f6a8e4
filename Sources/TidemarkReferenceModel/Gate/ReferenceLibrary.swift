/// The state of one library, with its position in its log.
///
/// - Source: Protocol/sequencing.md.
package struct ReferenceLibrary: Sendable {
    /// The last sequence that the cursor passed; -1 if a hole at 0 came first; nil before any.
    package var cursor: Int64?
    /// The epoch of the log; nil until an event names one.
    package var epoch: [UInt8]?
    /// The held events, sorted by sequence, one for each, all above ``cursor``.
    package var held: [ReferenceHeld] = []
    /// The lines of a unit that has not ended, in order; the cursor is before them.
    package var unit: [ReferenceHeld] = []
    /// How far the log was followed behind the last line of ``unit``.
    package var unitPosition: Int64?
    /// True from the reset of a state to the heartbeat that ends it.
    package var isInState = false
    /// True if the last heartbeat said so.
    package var isSourceStale = false
    /// The highest `last_sequence` of a heartbeat that is ahead of the cursor; nil if none is.
    package var tail: Int64?
    /// The lost ranges: sorted, disjoint, never adjacent.
    package var lost: [ClosedRange<Int64>] = []
    /// The sequences of unusable lines, with the epoch of each line. Used only with an upstream.
    package var holes: [(sequence: Int64, epoch: [UInt8]?)] = []
    /// The sequences of late events that stay lost.
    package var heldOff: Set<Int64> = []
    /// True from the moment the log begins anew until a query is refreshed.
    package var isStaleByLog = false
    /// True from a loss until a query is refreshed, or everything lost has arrived.
    package var isStaleByLoss = false
    /// How often the log began anew.
    package var generation = 0

    /// Creates a library without a log.
    package init() {}

    /// True if a sequence between the cursor and the highest known one is missing.
    package var hasGap: Bool {
        guard let reached else { return false }
        if !held.isEmpty { return true }
        guard let tail else { return false }
        return tail > reached
    }

    /// How far the log was followed: inside a unit, or else the cursor.
    package var reached: Int64? { unit.isEmpty ? cursor : unitPosition }

    /// The state as in the summary. `reconciling` never appears, because the model reconciles in one step.
    package var state: String {
        if hasGap { return "gap" }
        if isStaleByLog || isStaleByLoss || isInState || isSourceStale { return "stale" }
        return cursor == nil ? "cold" : "live"
    }

    /// Adds to the lost ranges; adjacent ranges become one.
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
        isStaleByLoss = true
    }

    /// Removes sequences from the lost ranges. If none are left, the library is no longer stale by loss.
    package mutating func recover(_ range: ClosedRange<Int64>) {
        lost = lost.flatMap { own -> [ClosedRange<Int64>] in
            guard own.overlaps(range) else { return [own] }
            var parts: [ClosedRange<Int64>] = []
            if own.lowerBound < range.lowerBound { parts.append(own.lowerBound...range.lowerBound - 1) }
            if range.upperBound < own.upperBound { parts.append(range.upperBound + 1...own.upperBound) }
            return parts
        }
        if lost.isEmpty { isStaleByLoss = false }
    }

    /// Returns true if a sequence is lost.
    package func isLost(_ sequence: Int64) -> Bool { lost.contains { $0.contains(sequence) } }

    /// True if there is a hole ahead of the cursor.
    package var hasHole: Bool { holes.contains { $0.sequence > reached ?? .max } }

    /// Returns the highest hole ahead of the cursor, up to a sequence; nil if there is none.
    package func highestHole(through sequence: Int64) -> Int64? {
        holes.map(\.sequence).filter { $0 > reached ?? .max && $0 <= sequence }.max()
    }

    /// Sets the first epoch, and removes holes of another epoch or of none.
    package mutating func adopt(_ epoch: [UInt8]) {
        self.epoch = epoch
        holes.removeAll { $0.epoch != epoch }
    }

    /// Holds an event, in order of sequences.
    package mutating func hold(_ entry: ReferenceHeld) {
        let before = held.lastIndex { $0.sequence < entry.sequence }
        held.insert(entry, at: before.map { $0 + 1 } ?? 0)
    }

    /// Begins the log anew: nothing held or lost, no cursor, stale.
    package mutating func beginAnew(epoch: [UInt8]?) {
        self.epoch = epoch
        cursor = nil
        unit = []
        unitPosition = nil
        isInState = false
        isSourceStale = false
        held = []
        tail = nil
        holes = []
        lost = []
        heldOff = []
        isStaleByLog = true
        generation += 1
    }
}
