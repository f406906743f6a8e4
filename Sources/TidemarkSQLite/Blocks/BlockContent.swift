import TidemarkModel
import TidemarkStore

/// A block with unpacked data. Entities are read by their positions.
struct BlockContent {
    let directory: BlockDirectory
    /// The bytes of the row, which contain the ids.
    let bytes: [UInt8]
    /// The unpacked fields and payloads.
    let data: [UInt8]

    /// - Throws: ``PayloadError``.
    init(
        _ bytes: [UInt8], number: Int64, unpacker: BlockUnpacker, dictionaries: [Int64: PayloadDictionary]
    ) throws(PayloadError) {
        let unpacked = bytes.withUnsafeBytes { bytes in
            Result { () throws(PayloadError) in
                let directory = try BlockDirectory(bytes, number: number)
                return (directory, try unpacker.unpack(bytes, directory.head, dictionaries: dictionaries))
            }
        }
        let (directory, data) = try unpacked.get()
        self.init(directory, bytes: bytes, data: data)
    }

    init(_ directory: BlockDirectory, bytes: [UInt8], data: [UInt8]) {
        self.directory = directory
        self.bytes = bytes
        self.data = data
    }

    func key(at position: Int) -> StoredKey {
        let isUUID = directory.entries[position].isUUID
        return withID(at: position) { id in
            let uuid = isUUID ? UUIDValue(bytes: id) : nil
            return StoredKey(
                library: directory.head.library, type: directory.head.type,
                id: uuid.map { .uuid($0) } ?? .text(ByteString(id)))
        }
    }

    /// Calls a closure with an entity's id: the 16 bytes of a UUID, or its text.
    func withID<Result>(at position: Int, _ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        try bytes.withUnsafeBytes { try body(UnsafeRawBufferPointer(rebasing: $0[directory.entries[position].id])) }
    }

    /// Calls a closure with an entity's id, and with its fields and payload as stored.
    ///
    /// - Returns: nil when the entity is damaged.
    func withStored<Result>(
        at position: Int, _ body: (BlockEntry, _ id: UnsafeRawBufferPointer, _ data: UnsafeRawBufferPointer) -> Result
    ) -> Result? {
        let entry = directory.entries[position]
        guard entry.data.upperBound <= data.count else { return nil }
        return withID(at: position) { id in
            data.withUnsafeBytes { data in
                let data = UnsafeRawBufferPointer(rebasing: data[entry.data])
                let (library, type) = (directory.head.library, directory.head.type)
                guard entry.passesCheck(library: library, type: type, id: id, data: data) else { return nil }
                return body(entry, id, data)
            }
        }
    }

    /// Returns an entity.
    ///
    /// - Throws: ``PayloadError`` when it is damaged.
    func entity(at position: Int) throws(PayloadError) -> BlockStoredEntity {
        let key = key(at: position)
        let entity = withStored(at: position) { entry, id, data in
            BlockStoredEntity(key: key, entry: entry, id: id, data: data)
        }
        guard let entity else { throw .checksumMismatch }
        return entity
    }
}
