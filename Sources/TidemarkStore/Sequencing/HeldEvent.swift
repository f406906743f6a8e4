import TidemarkModel

/// An event that waits for the ones before it, with its own copy of what it points to.
package final class HeldEvent: Sendable {
    package let event: ChangeEvent
    package let members: [ChangeMember]
    /// What the ranges of `event` and `members` point into.
    package let bytes: [UInt8]
    package let sequence: EventSequence
    /// The event's `prev`, or one below its sequence.
    package let previous: EventSequence
    package let source: EventSource
    /// Offset in its input of the event's line.
    package let offset: Int64
    /// Milliseconds since 1970.
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

    /// The share of the reorder buffer's byte bound that it takes: its line's size.
    package let byteCount: Int
}

/// Where an event came from.
package enum EventSource: Hashable, Sendable {
    /// A line of an input, by its number.
    case line(InputID, Int64)
    /// The answer of an upstream.
    case upstream
}
