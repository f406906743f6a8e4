import TidemarkModel

/// One entity's change since the last flush.
///
/// ``FlushBatch/key(of:)``, ``FlushBatch/payload(of:)`` and ``FlushBatch/fields(of:)`` read its content. A row that is
/// not new changes a stored entity:
///
/// ```swift
/// func apply(_ row: FlushRow, of flush: FlushBatch, to entity: inout StoredEntity) {
///     if row.change == .update { entity.payload = flush.payload(of: row) }
///     entity.fields = flush.fields(of: row)
///     entity.sequence = row.sequence
///     entity.generation = row.generation
///     entity.writtenAt = row.writtenAt
/// }
/// ```
///
/// Sendable by immutability: the bytes at `lentPayload` are neither written nor freed before the flush is over.
public struct FlushRow: @unchecked Sendable {
    /// How a row in the journal changes.
    public enum Change: UInt8, Sendable {
        /// The row is new.
        case insert
        /// The row exists; its payload and stamps are replaced.
        case update
        /// The row exists and only its stamps are replaced: an equal write renewed them, and the completeness stayed.
        case stamp
        /// The row exists and is removed.
        case delete
    }

    /// The row number, assigned by the store: dense, from 1, and never shared by two existing entities.
    package(set) public var row: Int64
    /// How the row changes.
    package(set) public var change: Change
    /// The entity's library.
    package(set) public var library: LibraryIndex
    /// The entity's resource type.
    package(set) public var type: TypeIndex
    /// True if the id's bytes are the 16 of a UUID.
    package var isUUID: Bool
    /// The offset of the id in ``FlushBatch/bytes``.
    package var idOffset: Int
    /// How many bytes the id has.
    package var idCount: Int
    /// The offset of the payload in ``FlushBatch/bytes``; meaningless when `lentPayload` is set.
    package var payloadOffset: Int
    /// How many bytes the payload has; 0 for `stamp` and `delete`.
    package var payloadCount: Int
    /// The address of the payload in ``FlushBatch/memory``; nil if the payload is in ``FlushBatch/bytes``.
    /// ``payload(in:)`` handles both.
    package var lentPayload: UnsafeRawPointer?
    /// The offset in ``FlushBatch/bytes`` of the record of when single fields were written. The journal stores this
    /// record as opaque bytes and checks it with the payload. The record is set for `stamp` too; it is empty for
    /// `delete`, and when all fields were written at once.
    package var fieldsOffset: Int
    /// How many bytes the record at `fieldsOffset` has.
    package var fieldsCount: Int
    /// The sequence of the event that last wrote the entity; nil when that write had none.
    package(set) public var sequence: EventSequence?
    /// The generation of the library's log at the last write, and the kind of write: 32 bits that a journal returns
    /// unchanged.
    package(set) public var generation: UInt32
    /// The time of the last write, in milliseconds since 1970.
    package(set) public var writtenAt: Int64
    /// True if only the fields that stay are left, so that eviction cannot free more. The journal checks it with the
    /// payload and returns it in ``StoredRowAge``; set for `stamp` too.
    package(set) public var isReduced: Bool

    /// Creates a row from its parts.
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
