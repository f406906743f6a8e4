/// One event as plain values: no text is copied, everything points into the batch's bytes.
///
/// - Source: Protocol/events.md.
package struct ChangeEvent: Sendable {
    /// What an event asks for.
    package enum Kind: UInt8, Sendable {
        case changed = 0
        case batchChanged
        case deleted
        case bulk
        case refresh
        case heartbeat
        case reset
        /// A kind that Tidemark does not know: advances the sequence, changes nothing.
        case unknown
        /// A line that cannot be used; `reason` says why.
        case unusable
        /// A JSON-RPC message, for the session that reads this input.
        case message
    }

    package var kind: Kind
    /// Set when `kind` is `.unusable`.
    package var reason: QuarantineReason?
    /// `operation` of a batch is `"Index"`.
    package var isIndexOperation = false
    /// False when a broken line does not tell which library it is of; otherwise an absent `library` is the default one.
    package var isLibraryKnown = true
    /// Index of the line in its batch, from 0.
    package var line: UInt32
    /// nil when the event has none.
    package var sequence: EventSequence?
    /// nil when the event has none; then `sequence - 1` stands for it.
    package var previous: EventSequence?
    /// `last_sequence` of a heartbeat.
    package var lastSequence: EventSequence?
    package var library = ByteRange.absent
    package var epoch = ByteRange.absent
    package var mutationID = ByteRange.absent
    package var type = ByteRange.absent
    /// `metadata` of a change, `hints` of a bulk operation, the new epoch of a reset, the name of an
    /// unknown kind.
    package var detail = ByteRange.absent
    /// Where this event's members stand in the batch: one for a change or a delete.
    package var firstMember: UInt32 = 0
    package var memberCount: UInt32 = 0

    package init(kind: Kind, line: UInt32) {
        self.kind = kind
        self.line = line
    }
}
