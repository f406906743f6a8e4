import TidemarkModel

/// An event that waits for the gap before it to close, with its own copy of its bytes.
package final class HeldEvent: Sendable {
    /// The event; its ranges point into ``bytes``.
    package let event: ChangeEvent
    /// The event's members; their ranges point into ``bytes``.
    package let members: [ChangeMember]
    /// The bytes that the ranges of `event` and `members` point into.
    package let bytes: [UInt8]
    /// The event's sequence.
    package let sequence: EventSequence
    /// The event's `prev`, or its sequence - 1.
    package let previous: EventSequence
    /// Where the event came from.
    package let source: EventSource
    /// The offset of the event's line in its input.
    package let offset: Int64
    /// When the event was held, in milliseconds since 1970.
    package let heldAt: Int64

    /// Creates a held event. `bytes` must be the ones that the event's ranges point into.
    package init(
        event: ChangeEvent, members: [ChangeMember], bytes: [UInt8], sequence: EventSequence,
        previous: EventSequence, source: EventSource, offset: Int64, byteCount: Int, heldAt: Int64
    ) {
        self.event = event
        self.members = members
        self.bytes = bytes
        self.sequence = sequence
        self.previous = previous
        self.source = source
        self.offset = offset
        self.byteCount = byteCount
        self.heldAt = heldAt
    }

    /// How many bytes the event counts in the reorder buffer: the size of its line.
    package let byteCount: Int
}

/// Where an event came from.
package enum EventSource: Hashable, Sendable {
    /// A line of an input, with its number.
    case line(InputID, Int64)
    /// The response of an upstream.
    case upstream
    /// The reader of a log; see ``/TidemarkModel/LineOrigin/reader``.
    case reader

    /// True if the event is a line of an input, which is counted in exactly one bin (law L7).
    var isCounted: Bool {
        switch self {
        case .line: true
        case .upstream, .reader: false
        }
    }
}
