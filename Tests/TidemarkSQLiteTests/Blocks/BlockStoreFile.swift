import Testing
import TidemarkModel
import TidemarkStore
import TidemarkTesting

@testable import TidemarkSQLite

/// A file of blocks with settings that make it write all segments, and merge, in few flushes.
struct BlockStoreFile {
    let file: BlockFile
    private let path: String

    /// - Parameters:
    ///   - readsAhead: Whether victims are read by a thread; without it every run does the same.
    ///   - victims: Reads victims in place of both.
    init(_ path: String, readsAhead: Bool = false, trains: Bool = false, victims: (any VictimSource)? = nil) throws {
        var configuration = BlockFile.Configuration()
        configuration.readsAhead = readsAhead
        configuration.trains = trains
        configuration.entityCountMin = 1
        configuration.victimCountMax = 16
        configuration.victims = victims
        file = try BlockFile(path: path, configuration)
        self.path = path
    }

    var store: BlockStore { file.store }

    func write(_ flush: FlushBatch) throws { try file.write(flush) }

    func outcome(of flush: FlushBatch) throws -> EntityOutcome { try file.outcome(of: flush) }

    func read(_ key: StoredKey) throws -> BlockStoredEntity? { try file.entity(key) }

    /// Walks over the keys in order.
    func walkedKeys() throws -> [StoredKey] {
        var keys: [StoredKey] = []
        try file.walkKeys { key in
            keys.append(key)
            return true
        }
        return keys
    }

    /// Reads entities as a reader of another process does, without an index in memory: with the table `changes`, with
    /// the directories of all blocks, and with first the one and then the other.
    func entities(inSnapshot keys: [StoredKey]) throws -> [BlockStoredEntity?] {
        let found = try [0, keys.count / 2, Int.max].map { try entities(inSnapshot: keys, scanCountMax: $0) }
        #expect(found[0] == found[1] && found[0] == found[2])
        return found[0]
    }

    private func entities(inSnapshot keys: [StoredKey], scanCountMax: Int) throws -> [BlockStoredEntity?] {
        let connection = try BlockConnection(path: path)
        try connection.execute("BEGIN")
        let index = try SnapshotIndex(connection.handle, seed: BlockFile.Configuration().hashSeed)
        index.scanCountLeft = scanCountMax
        let handle = connection.handle
        let reader = try BlockReader(handle, index) { try DictionaryTable.read(handle).dictionaries[$0] }
        let found = try withExtendedLifetime(connection) { try keys.map { try reader.entity($0) } }
        // The table stands for all blocks: no directory was read in vain.
        if scanCountMax == .max { #expect(index.scanCountLeft == .max - keys.count && !index.hasReadDirectories) }
        try index.loadEverything()
        #expect(index.entityCount() == Set(zip(keys, found).filter { $1 != nil }.map(\.0)).count)
        #expect(index.damagedBlocks == [] && index.damagedSegments == [])
        return found
    }

    func blockCount() throws -> Int64 {
        try PreparedStatement.number(file.connection.handle, "SELECT count(*) FROM blocks") ?? 0
    }
}

/// The naive model of a store of blocks, and the flushes that change it.
struct BlockStoreModel {
    private(set) var entities: [StoredKey: BlockStoredEntity] = [:]
    private var random: SeededGenerator
    private var sequence: Int64 = 0
    private let keyCount: Int

    init(seed: Int, keyCount: Int) {
        random = SeededGenerator(seed: UInt64(seed))
        self.keyCount = keyCount
    }

    /// Every key that may ever have an entity.
    var keys: [StoredKey] { (0..<keyCount).map(BlockStoreModel.key) }

    static func key(_ number: Int) -> StoredKey {
        var random = SeededGenerator(seed: UInt64(number))
        // A tenth of the keys has other libraries and types.
        let (library, type): (LibraryIndex, TypeIndex) = random.chance(900) ? (0, 0) : (1, TypeIndex(random.below(3)))
        let id: StoredID =
            random.chance(800)
            ? .uuid(UUIDValue(high: random.next(), low: random.next())) : .text(ByteString("key-\(number)"))
        return StoredKey(library: library, type: type, id: id)
    }

    /// The keys that have an entity, in the order of a walk.
    var keysInOrder: [StoredKey] {
        entities.keys.map { (OrderedKey.bytes(of: $0), $0) }.sorted { $0.0.lexicographicallyPrecedes($1.0) }.map(\.1)
    }

    /// Draws a flush, and applies it.
    ///
    /// - Parameters:
    ///   - rowCount: The changed keys, each once.
    ///   - removalShare: The share of removals, in thousandths.
    ///   - clears: Whether a library is cleared before: the small one three times in four.
    mutating func flush(rowCount: Int, removalShare: Int, clears: Bool = false) -> FlushBatch {
        var flush = FlushBatch()
        if clears { clear(random.chance(750) ? 1 : 0, in: &flush) }
        var seen: Set<Int> = []
        for _ in 0..<rowCount {
            // Two thirds of the changes are of a fifth of the keys.
            let number = random.below(random.chance(660) ? max(1, keyCount / 5) : keyCount)
            guard seen.insert(number).inserted else { continue }
            let key = BlockStoreModel.key(number)
            sequence += 1
            if random.chance(removalShare) {
                let removal = BlockStoredEntity(key: key, sequence: nil, generation: 0, writtenAt: 0, payload: [])
                BlockStoreModel.append(key, .delete, removal, to: &flush)
                let isThere = entities.removeValue(forKey: key) != nil
                // Removed and created again between two flushes.
                if !isThere || !random.chance(100) { continue }
            }
            var entity = BlockStoredEntity(
                key: key, sequence: random.chance(900) ? sequence : nil, generation: 0,
                writtenAt: 1_760_000_000_000 + sequence, payload: [])
            if let before = entities[key], random.chance(50) {
                // The same payload with other stamps.
                entity.payload = before.payload
                BlockStoreModel.append(key, .stamp, entity, to: &flush)
            } else {
                if random.chance(100) { entity.fields = Array(repeating: UInt8(random.below(256)), count: 9) }
                entity.payload = payload(key)
                BlockStoreModel.append(key, entities[key] == nil ? .insert : .update, entity, to: &flush)
            }
            entities[key] = entity
        }
        return flush
    }

    mutating func clear(_ library: LibraryIndex, in flush: inout FlushBatch) {
        flush.clearedLibraries.append(library)
        entities = entities.filter { $0.key.library != library }
    }

    private mutating func payload(_ key: StoredKey) -> [UInt8] {
        var payload = Array(#"{"id":""#.utf8) + key.id.text.bytes + Array(#"","value":""#.utf8)
        for _ in 0..<random.below(20) { payload += Array(String(random.next() % 1_000_000).utf8) }
        return payload + Array(#""}"#.utf8)
    }

    /// Adds a row to a flush.
    static func append(
        _ key: StoredKey, _ change: FlushRow.Change, _ entity: BlockStoredEntity, to flush: inout FlushBatch
    ) {
        let idOffset = flush.bytes.count
        key.id.withBytes { flush.bytes.append(contentsOf: $0) }
        let payloadOffset = flush.bytes.count
        let payload = change == .update || change == .insert ? entity.payload : []
        flush.bytes += payload
        let fieldsOffset = flush.bytes.count
        flush.bytes += entity.fields
        flush.rows.append(
            FlushRow(
                row: Int64(flush.rows.count + 1), change: change, library: key.library, type: key.type,
                isUUID: key.id.isUUID, idOffset: idOffset, idCount: key.id.byteCount, payloadOffset: payloadOffset,
                payloadCount: payload.count, fieldsOffset: fieldsOffset, fieldsCount: entity.fields.count,
                sequence: entity.sequence.map { EventSequence($0) } ?? nil, generation: 0, writtenAt: entity.writtenAt))
    }

    /// Compares every key with a store.
    ///
    /// - Returns: The keys that differ.
    func differences(from file: BlockStoreFile) throws -> [StoredKey] {
        try keys.filter { try file.read($0) != entities[$0] }
    }
}
