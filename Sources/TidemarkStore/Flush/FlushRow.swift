import TidemarkModel

/// One entity's change since the last flush.
///
/// Sendable by standing still: what `lentPayload` names is neither written nor freed before the flush is over.
package struct FlushRow: @unchecked Sendable {
    /// What the journal does to the row.
    package enum Change: UInt8, Sendable {
        /// The row is new.
        case insert
        /// The row exists; its payload and stamps are replaced.
        case update
        /// The row exists; an equal write renewed only its stamps, and all of it is as much there as before.
        case stamp
        /// The row exists and goes away.
        case delete
    }

    /// Dense, from 1; given by the store, never used by two living entities.
    package var row: Int64
    package var change: Change
    package var library: LibraryIndex
    package var type: TypeIndex
    /// True when the id's bytes are the 16 of a UUID.
    package var isUUID: Bool
    /// Into ``FlushBatch/bytes``.
    package var idOffset: Int
    package var idCount: Int
    /// Into ``FlushBatch/bytes``; means nothing when `lentPayload` is there.
    package var payloadOffset: Int
    /// 0 for `stamp` and `delete`.
    package var payloadCount: Int
    /// Where the payload stands in ``FlushBatch/memory``; nil: in the flush's own bytes. See ``payload(in:)``.
    package var lentPayload: UnsafeRawPointer?
    /// Into ``FlushBatch/bytes``: what the store keeps of single fields' writes; empty when all were written at once.
    /// To the journal these are bytes, kept and checked with the payload. Given for `stamp` too; empty for `delete`.
    package var fieldsOffset: Int
    package var fieldsCount: Int
    /// Sequence of the last event that wrote it; nil when that had none.
    package var sequence: EventSequence?
    /// The library's generation at that write.
    package var generation: UInt32
    /// Milliseconds since 1970.
    package var writtenAt: Int64
    /// Only the fields that stay are left: making room has nothing more to gain from it. To be given back with
    /// ``StoredRowAge``, and checked with the payload; given for `stamp` too.
    package var isReduced: Bool

    package init(
        row: Int64, change: Change, library: LibraryIndex, type: TypeIndex, isUUID: Bool, idOffset: Int,
        idCount: Int, payloadOffset: Int, payloadCount: Int, lentPayload: UnsafeRawPointer? = nil,
        fieldsOffset: Int = 0, fieldsCount: Int = 0,
        sequence: EventSequence?, generation: UInt32, writtenAt: Int64, isReduced: Bool = false
    ) {
        self.row = row
        self.change = change
        self.library = library
        self.type = type
        self.isUUID = isUUID
        self.idOffset = idOffset
        self.idCount = idCount
        self.payloadOffset = payloadOffset
        self.payloadCount = payloadCount
        self.lentPayload = lentPayload
        self.fieldsOffset = fieldsOffset
        self.fieldsCount = fieldsCount
        self.sequence = sequence
        self.generation = generation
        self.writtenAt = writtenAt
        self.isReduced = isReduced
    }
}
