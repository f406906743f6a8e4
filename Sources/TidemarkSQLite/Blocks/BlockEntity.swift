import TidemarkModel
import TidemarkStore

/// An entity to add to a block. All bytes are borrowed until it is added.
struct BlockEntity {
    /// The 16 bytes of a UUID, or the id's text.
    var id: UnsafeRawBufferPointer
    var isUUID: Bool
    var sequence: Int64?
    var generation: UInt32
    /// Milliseconds since 1970.
    var writtenAt: Int64
    var content: Content

    /// The part of an entity that is compressed.
    enum Content {
        /// The entity was removed.
        case removal
        /// A payload as in the store. The block leaves out its id.
        case payload(UnsafeRawBufferPointer, fields: UnsafeRawBufferPointer, isReduced: Bool)
        /// Fields and payload as another block stores them; they passed their check.
        case stored(BlockEntry, UnsafeRawBufferPointer)
    }

    /// Creates an entity from a row of a flush.
    ///
    /// - Parameters:
    ///   - row: A row of a flush, but no stamp, which has no payload.
    ///   - bytes: The ``/TidemarkStore/FlushBatch/bytes`` of its flush.
    init(_ row: FlushRow, in bytes: UnsafeRawBufferPointer) {
        id = row.id(in: bytes)
        isUUID = row.isUUID
        sequence = row.sequence?.rawValue
        generation = row.generation
        writtenAt = row.writtenAt
        content =
            row.change == .delete
            ? .removal
            : .payload(row.payload(in: bytes), fields: row.fields(in: bytes), isReduced: row.isReduced)
    }

    /// Creates a copy of an entity in a block that is being merged.
    ///
    /// - Parameters:
    ///   - entry: The entity's entry.
    ///   - id: The entity's id.
    ///   - data: Its fields and payload as stored; they passed their check.
    init(copyOf entry: BlockEntry, id: UnsafeRawBufferPointer, data: UnsafeRawBufferPointer) {
        self.id = id
        isUUID = entry.isUUID
        sequence = entry.sequence
        generation = entry.generation
        writtenAt = entry.writtenAt
        content = .stored(entry, data)
    }

    init(
        id: UnsafeRawBufferPointer, isUUID: Bool, sequence: Int64?, generation: UInt32, writtenAt: Int64,
        content: Content
    ) {
        self.id = id
        self.isUUID = isUUID
        self.sequence = sequence
        self.generation = generation
        self.writtenAt = writtenAt
        self.content = content
    }

    var isRemoval: Bool {
        switch content {
        case .removal: true
        case .payload: false
        case .stored(let entry, _): entry.isRemoval
        }
    }

    /// The approximate number of bytes that the entity adds to the unpacked data.
    var contentByteCount: Int {
        switch content {
        case .removal: 0
        case .payload(let payload, let fields, _): payload.count + fields.count
        case .stored(_, let data): data.count
        }
    }
}
