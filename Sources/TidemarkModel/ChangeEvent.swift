/// One event as plain values: no text is copied; every range points into the batch's bytes.
///
/// - Source: Protocol/events.md.
package struct ChangeEvent: Sendable {
    /// The kind of an event.
    package enum Kind: UInt8, Sendable {
        case changed = 0
        case batchChanged
        case deleted
        case bulk
        case refresh
        case heartbeat
        case reset
        /// A kind that Tidemark does not know: it advances the sequence and changes nothing.
        case unknown
        /// A line that cannot be used; `reason` is set.
        case unusable
        /// A JSON-RPC message, for the session that reads this input.
        case message
    }

    package var kind: Kind
    /// The reason of an `.unusable` event; nil for other kinds.
    package var reason: QuarantineReason?
    /// Whether the `operation` of a batch is `"Index"`.
    package var isIndexOperation = false
    /// Whether the library is known: a whole line without a library means the default one, a broken line any.
    package var isLibraryKnown = true
    /// The index of the line in its batch, from 0.
    package var line: UInt32
    /// The sequence of the event; nil when it has none.
    package var sequence: EventSequence?
    /// The sequence before the event's; nil when the event does not name it: it is then `sequence - 1`.
    package var previous: EventSequence?
    /// The `last_sequence` of a heartbeat.
    package var lastSequence: EventSequence?
    package var library = ByteRange.absent
    package var epoch = ByteRange.absent
    package var mutationID = ByteRange.absent
    package var type = ByteRange.absent
    /// The `metadata` of a change, the `hints` of a bulk operation, the new epoch of a reset, or the name of an unknown
    /// kind.
    package var detail = ByteRange.absent
    /// The index of this event's first member in the batch; a change or a delete has one member.
    package var firstMember: UInt32 = 0
    package var memberCount: UInt32 = 0

    package init(kind: Kind, line: UInt32) {
        self.kind = kind
        self.line = line
    }
}
