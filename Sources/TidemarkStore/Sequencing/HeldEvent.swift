import TidemarkModel

/// An event held until the gap before it closes, with its own copy of the bytes that it points to.
package final class HeldEvent: Sendable {
    package let event: ChangeEvent
    package let members: [ChangeMember]
    /// The bytes that the ranges of `event` and `members` point into.
    package let bytes: [UInt8]
    package let sequence: EventSequence
    /// The event's `prev`, or one below its sequence.
    package let previous: EventSequence
    package let source: EventSource
    /// The offset of the event's line in its input.
    package let offset: Int64
    /// The time when the event was held, in milliseconds since 1970.
    package let heldAt: Int64

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

    /// The number of bytes that the event counts in the reorder buffer: its line's size.
    package let byteCount: Int
}

/// The source of an event.
package enum EventSource: Hashable, Sendable {
    /// A line of an input, by its number.
    case line(InputID, Int64)
    /// The answer of an upstream.
    case upstream
    /// The reader of a log, see ``TidemarkModel/LineOrigin/reader``.
    case reader

    /// Whether the event is a line of an input, which is counted in one bin. Law: L7.
    var isCounted: Bool {
        switch self {
        case .line: true
        case .upstream, .reader: false
        }
    }
}
