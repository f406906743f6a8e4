import TidemarkModel

/// An event that waits for the ones before it, with its own copy of what it points to; or a hole, where an
/// event is known to stand that could not be used.
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
        previous: EventSequence, source: EventSource, offset: Int64, heldAt: Int64
    ) {
        self.event = event
        self.members = members
        self.bytes = bytes
        self.sequence = sequence
        self.previous = previous
        self.source = source
        self.offset = offset
        self.heldAt = heldAt
    }

    /// Nothing to apply stands here.
    package var isHole: Bool { event.kind == .unusable }

    /// What it takes of the reorder buffer's byte bound.
    package var byteCount: Int { bytes.count + HeldEvent.overheadByteCount }

    private static let overheadByteCount = 256
}

/// Where an event came from.
package enum EventSource: Hashable, Sendable {
    /// A line of an input, by its number.
    case line(InputID, Int64)
    /// The answer of an upstream.
    case upstream
}
