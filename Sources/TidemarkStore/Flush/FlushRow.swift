import TidemarkModel

/// One entity's change since the last flush.
///
/// Sendable by immutability: the bytes at `lentPayload` are neither written nor freed before the flush is over.
public struct FlushRow: @unchecked Sendable {
    /// The change of a row in the journal.
    public enum Change: UInt8, Sendable {
        /// The row is new.
        case insert
        /// The row exists; its payload and stamps are replaced.
        case update
        /// The row exists; an equal write renewed only its stamps, and its completeness did not change.
        case stamp
        /// The row exists and is removed.
        case delete
    }

    /// The row number: dense, from 1; assigned by the store, never used by two living entities.
    package(set) public var row: Int64
    package(set) public var change: Change
    package(set) public var library: LibraryIndex
    package(set) public var type: TypeIndex
    /// Whether the id's bytes are the 16 of a UUID.
    package var isUUID: Bool
    /// The offset of the id in ``FlushBatch/bytes``.
    package var idOffset: Int
    package var idCount: Int
    /// The offset of the payload in ``FlushBatch/bytes``; meaningless when `lentPayload` is set.
    package var payloadOffset: Int
    /// The number of payload bytes; 0 for `stamp` and `delete`.
    package var payloadCount: Int
    /// The address of the payload in ``FlushBatch/memory``; nil: it is in the flush's own bytes. See ``payload(in:)``.
    package var lentPayload: UnsafeRawPointer?
    /// The offset in ``FlushBatch/bytes`` of the store's record of single fields' writes; empty when all fields were
    /// written at once. The journal treats the record as opaque bytes, kept and checked with the payload. Set for
    /// `stamp` too; empty for `delete`.
    package var fieldsOffset: Int
    package var fieldsCount: Int
    /// The sequence of the event that wrote the entity last; nil when it had none.
    package(set) public var sequence: EventSequence?
    /// The library's generation at that write.
    package(set) public var generation: UInt32
    /// The time of the last write, in milliseconds since 1970.
    package(set) public var writtenAt: Int64
    /// Whether only the fields that stay are left, so that eviction cannot free more. The journal returns it in
    /// ``StoredRowAge``, and checks it with the payload; set for `stamp` too.
    package(set) public var isReduced: Bool

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
