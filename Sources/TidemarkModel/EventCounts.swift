/// What became of every line and every event (law L7).
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
    /// Held and never applied: forgotten when an epoch ended.
    public var held: Int64 = 0

    /// Bad members of batches whose other members were applied.
    public var membersQuarantined: Int64 = 0
    /// Events that an upstream brought and that were admitted.
    public var reconciled: Int64 = 0

    public init() {}

    public var events: Int64 { applied + duplicate + ignored + quarantined + held }

    /// - Parameter stillHeld: Events in reorder buffers now; 0 at the end of a run.
    public func isConserved(stillHeld: Int64 = 0) -> Bool {
        lines == blank + control + messages + events + stillHeld
    }

    public static func + (left: EventCounts, right: EventCounts) -> EventCounts {
        var sum = left
        sum.lines += right.lines
        sum.blank += right.blank
        sum.control += right.control
        sum.messages += right.messages
        sum.applied += right.applied
        sum.duplicate += right.duplicate
        sum.ignored += right.ignored
        sum.quarantined += right.quarantined
        sum.held += right.held
        sum.membersQuarantined += right.membersQuarantined
        sum.reconciled += right.reconciled
        return sum
    }
}
