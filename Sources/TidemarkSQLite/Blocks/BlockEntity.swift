import TidemarkModel
import TidemarkStore

/// An entity as a block takes it. All bytes are borrowed until it was added.
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
        /// The entity is gone.
        case removal
        /// A payload as the store has it; its id is left out by the block.
        case payload(UnsafeRawBufferPointer, fields: UnsafeRawBufferPointer, isReduced: Bool)
        /// Fields and payload as another block stored them, after their check.
        case stored(BlockEntry, UnsafeRawBufferPointer)
    }

    /// - Parameters:
    ///   - row: A row of a flush; a stamp has no payload and cannot be added.
    ///   - bytes: The ``TidemarkStore/FlushBatch/bytes`` of its flush.
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

    /// - Parameters:
    ///   - entry: An entry of a block that is merged.
    ///   - id: Its id.
    ///   - data: Its fields and payload as they are stored; they passed their check.
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

    /// About the bytes that the entity adds to the unpacked data.
    var contentByteCount: Int {
        switch content {
        case .removal: 0
        case .payload(let payload, let fields, _): payload.count + fields.count
        case .stored(_, let data): data.count
        }
    }
}
