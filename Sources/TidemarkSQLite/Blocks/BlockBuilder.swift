import TidemarkModel
import TidemarkStore

/// Collects entities of one library and type for a block.
///
/// A block is full according to its predicted size: that of its directory, and of its data at the compression ratio of
/// earlier blocks.
struct BlockBuilder {
    let library: LibraryIndex
    let type: TypeIndex
    private(set) var count = 0
    /// The number of entries that are removals.
    private(set) var removalCount = 0
    private var directory: [UInt8] = []
    /// Fields and payloads, not compressed.
    private var data: [UInt8] = []
    private var base = BlockEntry.Base()
    private var idText = IDText()

    init(library: LibraryIndex, type: TypeIndex) {
        self.library = library
        self.type = type
    }

    /// The size of the data before compression.
    var dataByteCount: Int { data.count }

    /// Returns true if the block is full, so that no other entity should be added.
    ///
    /// - Parameter ratio: The predicted share of its bytes that data compresses to.
    func isFull(ratio: Double) -> Bool {
        count == BlockCodec.entityCountMax || data.count >= BlockCodec.sharedByteCountMax
            || Double(directory.count) + Double(data.count) * ratio
                >= Double(BlockCodec.fullByteCount + BlockCodec.marginByteCount - BlockBuilder.usualHeadByteCount)
    }

    /// Returns true if an entity fits after those in the block. An empty block accepts any.
    func hasRoom(for entity: BlockEntity) -> Bool {
        count == 0 || data.count + entity.contentByteCount <= BlockCodec.sharedByteCountMax
    }

    /// Adds an entity.
    ///
    /// - Complexity: O(bytes of the entity).
    mutating func add(_ entity: BlockEntity) {
        // No input reaches it: the writer checks before, and the store bounds payloads and fields.
        precondition(
            count < BlockCodec.entityCountMax && hasRoom(for: entity), "\(count) entities, \(data.count) bytes")
        var entry = BlockEntry(
            flags: entity.isUUID ? .uuid : [], id: 0..<0, sequence: entity.sequence, generation: entity.generation,
            writtenAt: entity.writtenAt)
        if entity.sequence != nil { entry.flags.insert(.sequenced) }
        entry.dataOffset = data.count
        var check: UInt32?
        switch entity.content {
        case .removal:
            entry.flags.insert(.removal)
        case .payload(let payload, let fields, let isReduced):
            if !fields.isEmpty { entry.flags.insert(.withFields) }
            if isReduced { entry.flags.insert(.reduced) }
            entry.fieldsCount = fields.count
            data.append(contentsOf: fields)
            if let idOffset = appendWithoutID(payload, of: entity) {
                entry.flags.insert(.withoutID)
                entry.idOffset = idOffset
            }
            entry.payloadCount = data.count - entry.dataOffset - fields.count
        case .stored(let stored, let bytes):
            entry.flags = stored.flags
            entry.idOffset = stored.idOffset
            entry.fieldsCount = stored.fieldsCount
            entry.payloadCount = stored.payloadCount
            // The check from when the entity was written is kept, so that damage to the copy from now on fails it.
            check = stored.check
            data.append(contentsOf: bytes)
        }
        entry.check = check ?? newCheck(of: entry, id: entity.id)
        entry.append(to: &directory, id: entity.id, after: base)
        base.advance(over: entry)
        count += 1
        if entry.isRemoval { removalCount += 1 }
    }

    /// Returns the collected entities as a block, and begins an empty one.
    mutating func take(number: Int64, ordinal: Int, dictionary: PayloadDictionary?) -> FilledBlock {
        // No input reaches it: the writer counts what it added.
        precondition(count > 0, "a block has an entity")
        let block = FilledBlock(
            number: number, ordinal: ordinal, library: library, type: type, dictionary: dictionary, count: count,
            removalCount: removalCount, directory: directory, data: data)
        directory = []
        data = []
        base = BlockEntry.Base()
        count = 0
        removalCount = 0
        return block
    }

    /// The size of check, header and integers in a typical block.
    private static let usualHeadByteCount = 20

    /// Appends a payload, without its id if that is found in it.
    ///
    /// - Returns: The offset of the id in the payload; nil when it was not left out.
    private mutating func appendWithoutID(_ payload: UnsafeRawBufferPointer, of entity: BlockEntity) -> Int? {
        guard entity.isUUID || entity.id.count >= PayloadCodec.elidedIDByteCountMin else {
            data.append(contentsOf: payload)
            return nil
        }
        let found = idText.with(id: entity.id, isUUID: entity.isUUID) { text in
            PayloadEncoder.offset(ofQuoted: text, in: payload).map { ($0, text.count) }
        }
        guard let (offset, count) = found else {
            data.append(contentsOf: payload)
            return nil
        }
        data.append(contentsOf: UnsafeRawBufferPointer(rebasing: payload[..<offset]))
        data.append(contentsOf: UnsafeRawBufferPointer(rebasing: payload[(offset + count)...]))
        return offset
    }

    private func newCheck(of entry: BlockEntry, id: UnsafeRawBufferPointer) -> UInt32 {
        let seed = entry.seed(library: library, type: type, id: id)
        return data.withUnsafeBytes { data in
            UInt32(truncatingIfNeeded: Checksum.xxh64(UnsafeRawBufferPointer(rebasing: data[entry.data]), seed: seed))
        }
    }
}
