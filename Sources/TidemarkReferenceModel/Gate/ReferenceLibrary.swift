/// The state of one library and its place in its log.
///
/// - Source: Protocol/sequencing.md.
package struct ReferenceLibrary: Sendable {
    /// The last sequence that the cursor passed; -1 when a hole at 0 came first; nil before any.
    package var cursor: Int64?
    /// The epoch of the log; nil until an event names one.
    package var epoch: [UInt8]?
    /// The held events, sorted by sequence, one entry a sequence, all above ``cursor``.
    package var held: [ReferenceHeld] = []
    /// The highest `last_sequence` that a heartbeat named ahead of the cursor.
    package var tail: Int64?
    /// The lost ranges: sorted, disjoint, never adjacent.
    package var lost: [ClosedRange<Int64>] = []
    /// The numbers of unusable lines, with the epoch that each line named. Only with an upstream.
    package var holes: [(sequence: Int64, epoch: [UInt8]?)] = []
    /// The numbers of late events that stayed lost.
    package var heldOff: Set<Int64> = []
    /// Whether the log began anew. True until a query is refreshed.
    package var isStaleByLog = false
    /// Whether anything was lost. True until a query is refreshed, or everything that was lost has come.
    package var isStaleByLoss = false
    /// The number of times that the log began anew.
    package var generation = 0

    package init() {}

    /// Whether a number between the cursor and the highest known number is missing.
    package var hasGap: Bool {
        guard let cursor else { return false }
        if !held.isEmpty { return true }
        guard let tail else { return false }
        return tail > cursor
    }

    /// The state in the words of the summary. `reconciling` never shows: the model reconciles in one step.
    package var state: String {
        if hasGap { return "gap" }
        if isStaleByLog || isStaleByLoss { return "stale" }
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
        isStaleByLoss = true
    }

    /// Removes numbers from the lost ranges. When none are left, the library is no longer stale by loss.
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

    package func isLost(_ sequence: Int64) -> Bool { lost.contains { $0.contains(sequence) } }

    /// Whether there is a hole ahead of the cursor.
    package var hasHole: Bool { holes.contains { $0.sequence > cursor ?? .max } }

    /// The highest hole ahead of the cursor that is not above a sequence.
    package func highestHole(through sequence: Int64) -> Int64? {
        holes.map(\.sequence).filter { $0 > cursor ?? .max && $0 <= sequence }.max()
    }

    /// Sets the first epoch: holes of another epoch, or of none, are removed.
    package mutating func adopt(_ epoch: [UInt8]) {
        self.epoch = epoch
        holes.removeAll { $0.epoch != epoch }
    }

    /// Holds an event in its place after the gap.
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
        holes = []
        lost = []
        heldOff = []
        isStaleByLog = true
        generation += 1
    }
}
