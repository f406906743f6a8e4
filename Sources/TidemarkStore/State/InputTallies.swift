import TidemarkModel

/// The counts of single inputs, for readers that report the outcome of their own lines.
///
/// An event that was held counts for the input that brought it, whenever it is applied. Bounded by the inputs that were
/// begun and not yet taken; without any, counting costs one comparison.
package struct InputTallies: Sendable {
    private var tallies: [(input: InputID, counts: EventCounts)] = []

    /// Begins to count for an input.
    package mutating func begin(_ input: InputID) { tallies.append((input, EventCounts())) }

    /// Ends the counting, and returns the counts of events; lines are not counted.
    package mutating func take(_ input: InputID) -> EventCounts {
        guard let index = tallies.firstIndex(where: { $0.input == input }) else { return EventCounts() }
        return tallies.remove(at: index).counts
    }

    /// The outcome of an event, or what else is counted of it.
    enum Bin {
        case applied, duplicate, ignored, quarantined, membersQuarantined, late
    }

    /// Inlined, because it stands in the path of every event.
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
