import TidemarkModel
import TidemarkStore

/// Reads single entities from the blocks of a data file, on a connection of its own.
///
/// Owner: one thread at a time. The index belongs to the process's writer, or to a snapshot.
final class BlockReader {
    private let index: any BlockLocator
    private let read: PreparedStatement
    private let unpacker: BlockUnpacker
    /// An unpacker for each thread, created when many entities are read.
    private var unpackers: [BlockUnpacker] = []
    /// Loads a dictionary; nil when the file has none of that number.
    private let load: (Int64) throws -> PayloadDictionary?
    private var dictionaries: [Int64: PayloadDictionary] = [:]

    /// Creates a reader.
    ///
    /// - Parameters:
    ///   - connection: A connection that outlives the reader.
    ///   - load: Loads a dictionary by its number.
    /// - Throws: ``SQLiteError``.
    init(
        _ connection: OpaquePointer, _ index: any BlockLocator, load: @escaping (Int64) throws -> PayloadDictionary?
    ) throws {
        self.index = index
        self.load = load
        read = try PreparedStatement(connection, "SELECT body FROM blocks WHERE number = ?")
        unpacker = try BlockUnpacker()
    }

    /// Reads the newest version of an entity.
    ///
    /// - Returns: nil when there is none, also for a key whose hash belongs to another key.
    /// - Throws: ``PayloadError`` when the entity is damaged, `.rowMissing` when its block does not exist;
    ///   ``SQLiteError`` when the file cannot be read.
    func entity(_ key: StoredKey) throws -> BlockStoredEntity? {
        let hash = index.hash(key)
        var before: BlockIndex.Location?
        while let location = try index.location(of: hash) {
            if let body = try BlockTable.body(read, number: location.number) {
                return try entity(key, at: location.place.position, of: body, number: location.number)
            }
            // Either the block was merged and the index is about to be updated, or the block is really missing.
            guard location != before else { throw PayloadError.rowMissing }
            before = location
            index.waitForPublication()
        }
        return nil
    }

    private func entity(
        _ key: StoredKey, at position: Int, of body: [UInt8], number: Int64
    ) throws -> BlockStoredEntity? {
        let content = try wholeContent(of: body, number: number)
        guard position < content.directory.entries.count else { throw PayloadError.lengthMismatch }
        guard content.key(at: position) == key else { return nil }
        return try content.entity(at: position)
    }

    /// Unpacks a block.
    ///
    /// - Throws: ``PayloadError``; ``SQLiteError`` when its dictionary cannot be read.
    private func wholeContent(of body: [UInt8], number: Int64) throws -> BlockContent {
        let directory = try body.withUnsafeBytes { bytes in
            Result { () throws(PayloadError) in try BlockDirectory(bytes, number: number) }
        }.get()
        if let number = directory.head.dictionary { _ = try dictionary(number) }
        let data = try body.withUnsafeBytes { bytes in
            Result { () throws(PayloadError) in
                try unpacker.unpack(bytes, directory.head, dictionaries: dictionaries)
            }
        }.get()
        return BlockContent(directory, bytes: body, data: data)
    }

    // MARK: Many entities

    /// Reads the newest versions of entities, each block once.
    ///
    /// - Parameter byteCountMax: The bytes of payloads after which reading ends.
    /// - Returns: The result of ``entity(_:)`` for each key, in the order of the keys; nil for a key that was not read
    ///   because of the bound.
    /// - Throws: ``SQLiteError`` when the file cannot be read.
    /// - Complexity: O(n log n), and O(bytes of the blocks with the entities).
    func entities(
        _ keys: [StoredKey], byteCountMax: Int = .max
    ) throws -> [Result<BlockStoredEntity?, PayloadError>?] {
        var results = Array(repeating: Result<BlockStoredEntity?, PayloadError>?.some(.success(nil)), count: keys.count)
        var byteCount = 0
        var group: [WantedBlock] = []
        func unpackGroup() throws {
            for (block, entities) in zip(group, try unpack(group, keys)) {
                for (wanted, entity) in zip(block.wanted, entities) {
                    let result = try entity ?? self.result(of: keys[wanted.index])
                    results[wanted.index] = result
                    if case .success(let entity?) = result { byteCount += entity.payload.count + entity.fields.count }
                }
            }
            group.removeAll(keepingCapacity: true)
        }
        try forEachBlock(of: keys) { number, body, wanted in
            guard byteCount < byteCountMax else {
                for (index, _) in wanted { results[index] = nil }
                return
            }
            group.append(WantedBlock(number: number, body: try body(), wanted: wanted))
            if group.count == BlockReader.groupCount { try unpackGroup() }
        }
        try unpackGroup()
        return results
    }

    /// How many blocks are unpacked together: some 2 MiB.
    private static let groupCount = 64

    /// A block with some of the keys to read.
    private struct WantedBlock {
        var number: Int64
        /// The bytes of the row; nil when there is none.
        var body: [UInt8]?
        var wanted: [(index: Int, position: Int)]
    }

    /// Unpacks blocks on several processors.
    ///
    /// - Returns: The wanted entities of each block; nil for one that must be read again by itself.
    /// - Throws: ``SQLiteError``.
    private func unpack(
        _ blocks: [WantedBlock], _ keys: [StoredKey]
    ) throws -> [[Result<BlockStoredEntity?, PayloadError>?]] {
        if blocks.count > 1, unpackers.isEmpty {
            unpackers = [unpacker] + (try (1..<ParallelThreads.count).map { _ in try BlockUnpacker() })
        }
        for block in blocks {
            // A dictionary's decompressing form is created at its first use, which must not happen on two threads.
            if let body = block.body, let number = BlockReader.dictionary(of: body) {
                try dictionary(number)?.prepareForDecompressing()
            }
        }
        let dictionaries = self.dictionaries
        return ParallelWork.map(blocks, contexts: blocks.count > 1 ? unpackers : [unpacker]) { unpacker, block in
            let content = block.body.flatMap { body in
                do throws(PayloadError) {
                    return try BlockContent(
                        body, number: block.number, unpacker: unpacker, dictionaries: dictionaries)
                } catch {
                    // The block is damaged. Each entity is read by itself, which returns its fault.
                    return nil
                }
            }
            return block.wanted.map { wanted in
                guard let content, wanted.position < content.directory.entries.count else { return nil }
                guard content.key(at: wanted.position) == keys[wanted.index] else { return .success(nil) }
                return Result { () throws(PayloadError) in try content.entity(at: wanted.position) }
            }
        }
    }

    private static func dictionary(of body: [UInt8]) -> Int64? {
        body.withUnsafeBytes { bytes in
            do throws(PayloadError) { return try BlockHead(bytes).dictionary } catch { return nil }
        }
    }

    /// Returns a dictionary by its number; nil when the file has none.
    private func dictionary(_ number: Int64) throws -> PayloadDictionary? {
        if dictionaries[number] == nil { dictionaries[number] = try load(number) }
        return dictionaries[number]
    }

    /// Reads the entries of entities from the directories of their blocks, each block once, without unpacking.
    ///
    /// - Returns: An entry for each key, in the order of the keys; nil when the entity is not stored or cannot be read.
    /// - Throws: ``SQLiteError``.
    func entries(_ keys: [StoredKey]) throws -> [BlockEntry?] {
        var entries = [BlockEntry?](repeating: nil, count: keys.count)
        try forEachBlock(of: keys) { number, body, wanted in
            let directory = try body().flatMap { body in
                body.withUnsafeBytes { bytes -> BlockDirectory? in
                    do throws(PayloadError) { return try BlockDirectory(bytes, number: number) } catch { return nil }
                }
            }
            for (index, position) in wanted where position < directory?.entries.count ?? 0 {
                entries[index] = directory?.entries[position]
            }
        }
        return entries
    }

    /// Calls a closure with each block that has one of the keys: its number, a closure that reads its bytes, and the
    /// indexes of the keys with their positions.
    private func forEachBlock(
        of keys: [StoredKey], _ body: (Int64, () throws -> [UInt8]?, [(index: Int, position: Int)]) throws -> Void
    ) throws {
        var places: [(index: Int, location: BlockIndex.Location)] = []
        for (index, key) in keys.enumerated() {
            guard let location = try self.index.location(of: self.index.hash(key)) else { continue }
            places.append((index, location))
        }
        places.sort { $0.location.number < $1.location.number }
        var start = 0
        while start < places.count {
            let number = places[start].location.number
            let end = places[start...].firstIndex { $0.location.number != number } ?? places.count
            let wanted = places[start..<end].map { ($0.index, $0.location.place.position) }
            try body(number, { try BlockTable.body(self.read, number: number) }, wanted)
            start = end
        }
    }

    private func result(of key: StoredKey) throws -> Result<BlockStoredEntity?, PayloadError> {
        do { return .success(try entity(key)) } catch let fault as PayloadError { return .failure(fault) }
    }
}
