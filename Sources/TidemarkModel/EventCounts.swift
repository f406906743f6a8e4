/// How many lines and events there were, by outcome (law L7).
///
/// ```swift
/// let counts = await cache.counts()
/// print(counts.applied, "applied,", counts.quarantined, "quarantined of", counts.events)
/// ```
///
/// At the end of every run `lines = blank + control + messages + events`, and
/// `events = applied + duplicate + ignored + quarantined + held`.
///
/// - Source: Protocol/framing.md.
public struct EventCounts: Hashable, Sendable {
    /// All lines.
    public var lines: Int64 = 0
    /// Lines with only white space.
    public var blank: Int64 = 0
    /// Control lines of a server's framing, such as `"Pong"`, which are not events.
    public var control: Int64 = 0
    /// Lines that are JSON-RPC messages.
    public var messages: Int64 = 0

    /// Events that took effect.
    public var applied: Int64 = 0
    /// Events whose sequence was applied already, or is held.
    public var duplicate: Int64 = 0
    /// Events of a kind that is unknown.
    public var ignored: Int64 = 0
    /// Events and lines that cannot be used.
    public var quarantined: Int64 = 0
    /// Events that were held and never applied, because their epoch ended first.
    public var held: Int64 = 0

    /// Unusable members of batches whose other members were applied.
    public var membersQuarantined: Int64 = 0
    /// Events that an upstream returned and that were admitted.
    public var reconciled: Int64 = 0
    /// Events that arrived after their number was declared lost. Each is also counted by its outcome.
    public var late: Int64 = 0

    /// Makes counts of zero.
    public init() {}

    /// All events, by the sum of their outcomes.
    public var events: Int64 { applied + duplicate + ignored + quarantined + held }

    /// Returns true if every line has exactly one outcome.
    ///
    /// - Parameter stillHeld: The number of events in reorder buffers now; 0 at the end of a run.
    public func isConserved(stillHeld: Int64 = 0) -> Bool {
        lines == blank + control + messages + events + stillHeld
    }

    /// Returns the difference of two counts; `right` is the earlier one.
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
