/// The outcomes of all lines and events (law L7).
///
/// `lines = blank + control + messages + events` and
/// `events = applied + duplicate + ignored + quarantined + held`, at the end of every run.
public struct EventCounts: Hashable, Sendable {
    public var lines: Int64 = 0
    public var blank: Int64 = 0
    public var control: Int64 = 0
    public var messages: Int64 = 0

    public var applied: Int64 = 0
    public var duplicate: Int64 = 0
    public var ignored: Int64 = 0
    public var quarantined: Int64 = 0
    /// The events that were held and never applied: dropped when an epoch ended.
    public var held: Int64 = 0

    /// The bad members of batches whose other members were applied.
    public var membersQuarantined: Int64 = 0
    /// The events that an upstream returned and that were admitted.
    public var reconciled: Int64 = 0
    /// The events that came after their number had been declared lost. Each is also counted in its own bin.
    public var late: Int64 = 0

    public init() {}

    public var events: Int64 { applied + duplicate + ignored + quarantined + held }

    /// - Parameter stillHeld: The number of events in reorder buffers now; 0 at the end of a run.
    public func isConserved(stillHeld: Int64 = 0) -> Bool {
        lines == blank + control + messages + events + stillHeld
    }

    /// Returns the counts that were added between an earlier value, `right`, and `left`.
    public static func - (left: EventCounts, right: EventCounts) -> EventCounts {
        var difference = left
        difference.lines -= right.lines
        difference.blank -= right.blank
        difference.control -= right.control
        difference.messages -= right.messages
        difference.applied -= right.applied
        difference.duplicate -= right.duplicate
        difference.ignored -= right.ignored
        difference.quarantined -= right.quarantined
        difference.held -= right.held
        difference.membersQuarantined -= right.membersQuarantined
        difference.reconciled -= right.reconciled
        difference.late -= right.late
        return difference
    }
}
