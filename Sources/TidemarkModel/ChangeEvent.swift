/// One event as plain values. No text is copied: every range is a position in the batch's bytes.
///
/// - Source: Protocol/events.md.
package struct ChangeEvent: Sendable {
    /// The kind of an event.
    package enum Kind: UInt8, Sendable {
        /// A resource was added or changed.
        case changed = 0
        /// Several resources of one type were added or changed.
        case batchChanged
        /// A resource was deleted.
        case deleted
        /// Many resources changed, which the event describes by hints.
        case bulk
        /// Queries have to be fetched again.
        case refresh
        /// The log has reached a sequence.
        case heartbeat
        /// The log begins anew.
        case reset
        /// A kind that Tidemark does not know. It advances the sequence and changes nothing.
        case unknown
        /// A line that cannot be used, for the event's `reason`.
        case unusable
        /// A JSON-RPC message for the session that reads this input.
        case message
    }

    /// The kind of the event.
    package var kind: Kind
    /// Why an `.unusable` event cannot be used; nil for other kinds.
    package var reason: QuarantineReason?
    /// True if the `operation` of a batch is `"Index"`.
    package var isIndexOperation = false
    /// True if the unit of the event goes on in the next event of its library.
    package var hasMore = false
    /// True for a delete with the reason `"scope"`, a heartbeat that says its source is stale, and a reset that begins
    /// a state.
    package var isMarked = false
    /// True if the library is certain. In a whole line an absent library is the default one; in a broken line it could
    /// be any.
    package var isLibraryKnown = true
    /// The index of the line in its batch, from 0.
    package var line: UInt32
    /// The sequence of the event; nil when it has none.
    package var sequence: EventSequence?
    /// The sequence before the event's, as the event names it; nil when it names none, which means `sequence - 1`.
    package var previous: EventSequence?
    /// The `last_sequence` of a heartbeat; nil for other kinds.
    package var lastSequence: EventSequence?
    /// The library's name; absent for an event without one.
    package var library = ByteRange.absent
    /// The epoch; absent for an event without one.
    package var epoch = ByteRange.absent
    /// The id of the mutation that caused the event; absent when none is named.
    package var mutationID = ByteRange.absent
    /// The resource type; absent for kinds without one.
    package var type = ByteRange.absent
    /// The `metadata` of a change, the `hints` of a bulk operation, the new epoch of a reset, or the name of an unknown
    /// kind.
    package var detail = ByteRange.absent
    /// The index of this event's first member in the batch; a change or a delete has one member.
    package var firstMember: UInt32 = 0
    /// The number of this event's members.
    package var memberCount: UInt32 = 0

    /// True if everything that its library has follows, and a heartbeat ends it.
    package var beginsState: Bool { kind == .reset && isMarked }
    /// True for a heartbeat that ends a state, if one is under way.
    package var mayEndState: Bool { kind == .heartbeat && sequence != nil && sequence == lastSequence }
    /// True for a delete of an entity that is no longer visible to the reader, whether or not it still exists.
    package var isDeparture: Bool { kind == .deleted && isMarked }

    package init(kind: Kind, line: UInt32) {
        self.kind = kind
        self.line = line
    }
}
