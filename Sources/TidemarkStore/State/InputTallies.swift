import TidemarkModel

/// The counts of single inputs, for readers that report the outcome of their own lines.
///
/// A held event counts for the input that it came from, whenever it is applied. The inputs being counted bound it;
/// without any, counting costs one comparison.
package struct InputTallies: Sendable {
    private var tallies: [(input: InputID, counts: EventCounts)] = []

    /// Begins to count the events of an input.
    package mutating func begin(_ input: InputID) { tallies.append((input, EventCounts())) }

    /// Ends the counting of an input, and returns the counts of its events. Lines are not counted.
    package mutating func take(_ input: InputID) -> EventCounts {
        guard let index = tallies.firstIndex(where: { $0.input == input }) else { return EventCounts() }
        return tallies.remove(at: index).counts
    }

    /// How an event is counted.
    enum Bin {
        case applied, duplicate, ignored, quarantined, membersQuarantined, late
    }

    /// Inlined, because every event is counted here.
    @inline(__always)
    mutating func add(_ bin: Bin, _ source: EventSource) {
        if !tallies.isEmpty { count(bin, source) }
    }

    private mutating func count(_ bin: Bin, _ source: EventSource) {
        guard case .line(let input, _) = source, let index = tallies.firstIndex(where: { $0.input == input }) else {
            return
        }
        switch bin {
        case .applied: tallies[index].counts.applied += 1
        case .duplicate: tallies[index].counts.duplicate += 1
        case .ignored: tallies[index].counts.ignored += 1
        case .quarantined: tallies[index].counts.quarantined += 1
        case .membersQuarantined: tallies[index].counts.membersQuarantined += 1
        case .late: tallies[index].counts.late += 1
        }
    }
}
