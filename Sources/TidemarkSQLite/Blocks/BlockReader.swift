import TidemarkModel
import TidemarkStore

/// Reads single entities from the blocks of a data file, on a connection of its own.
///
/// Owner: one thread at a time. The index is that of the process's writer.
final class BlockReader {
    private let index: BlockIndex
    private let read: PreparedStatement
    private let unpacker: BlockUnpacker
    /// Loads a dictionary; nil when the file has none of that number.
    private let load: (Int64) throws -> PayloadDictionary?
    private var dictionaries: [Int64: PayloadDictionary] = [:]

    /// - Parameters:
    ///   - connection: A connection that lives longer.
    ///   - load: Loads a dictionary by its number.
    /// - Throws: ``SQLiteFailure``.
    init(_ connection: OpaquePointer, _ index: BlockIndex, load: @escaping (Int64) throws -> PayloadDictionary?) throws
    {
        self.index = index
        self.load = load
        read = try PreparedStatement(connection, "SELECT body FROM blocks WHERE number = ?")
        unpacker = try BlockUnpacker()
    }

    /// Reads the newest version of an entity.
    ///
    /// - Returns: nil when there is none; also for a key whose hash another key has.
    /// - Throws: ``PayloadFault`` when it is damaged, `.rowMissing` when its block is; ``SQLiteFailure`` when the file
    ///   cannot be read.
    func entity(_ key: StoredKey) throws -> BlockStoredEntity? {
        let hash = key.withBlockKey { index.hash($0) }
        var before: BlockIndex.Location?
        while let location = index.location(of: hash) {
            if let body = try BlockTable.body(read, number: location.number) {
                return try entity(key, at: location.place.position, of: body, number: location.number)
            }
            // The block was merged, and the index is about to say where its entities are now; or it is really missing.
            guard location != before else { throw PayloadFault.rowMissing }
            before = location
            index.waitForPublication()
        }
        return nil
    }

    private func entity(
        _ key: StoredKey, at position: Int, of body: [UInt8], number: Int64
    ) throws -> BlockStoredEntity? {
        let directory = try body.withUnsafeBytes { bytes in
            Result { () throws(PayloadFault) in try BlockDirectory(bytes, number: number) }
        }.get()
        guard position < directory.entries.count else { throw PayloadFault.lengthMismatch }
        if let number = directory.head.dictionary, dictionaries[number] == nil {
            dictionaries[number] = try load(number)
        }
        let data = try body.withUnsafeBytes { bytes in
            Result { () throws(PayloadFault) in
                try unpacker.unpack(bytes, directory.head, dictionaries: dictionaries)
            }
        }.get()
        let content = BlockContent(directory, bytes: body, data: data)
        guard content.key(at: position) == key else { return nil }
        return try content.entity(at: position)
    }
}
