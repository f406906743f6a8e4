import Tidemark
import TidemarkModel
import TidemarkStore

/// The entities of a data file in blocks: the tables `blocks`, `segments` and `key_runs`.
///
/// Entities have no row numbers here: all have 0. Fields are not indexed.
/// - Source: docs/decisions/0020-past-memory.md.
final class EntityBlocks: EntityTables {
    // In the order in which they end: statements before the connection of the journal.
    private let store: BlockStore
    private let reader: BlockReader

    let canIndexFields = false

    /// The keys of one batch of ``forEach(library:type:after:expectedCount:_:_:)`` at most.
    private static let batchCountMax = 512

    /// - Parameters:
    ///   - connection: The writer's connection.
    ///   - path: The data file, from which a thread reads the blocks that are merged.
    /// - Throws: ``SQLiteFailure``.
    /// - Complexity: O(keys + blocks).
    init(_ connection: OpaquePointer, path: String) throws {
        // Every file of blocks was created with its number.
        let identity = try CounterTable.read(connection)[LogIdentity.counter] ?? 0
        let configuration = BlockStore.Configuration(hashSeed: UInt64(bitPattern: identity))
        let victims = VictimReader(path: path) { connection, number in
            try DictionaryTable.read(connection.handle).dictionaries[number]
        }
        var dictionaries = BlockDictionaries()
        dictionaries.byNumber = try DictionaryTable.read(connection).dictionaries
        store = try BlockStore(connection, configuration, victims: victims, dictionaries: dictionaries)
        reader = try BlockReader(connection, store.index) { try DictionaryTable.read(connection).dictionaries[$0] }
    }

    // MARK: Writing

    func lastRow() -> Int64 { 0 }

    func write(_ flush: FlushBatch, _ memory: JournalMemory) throws -> EntityOutcome {
        let dictionaries = BlockDictionaries(byType: memory.dictionaryByType, byNumber: memory.dictionaries)
        return try store.stage(flush, dictionaries: dictionaries)
    }

    func publish(_ commit: () throws -> Void) throws { try store.publish(commit) }

    func discard() { store.discard() }

    // MARK: Reading

    func read(_ keys: [StoredKey], _ memory: JournalMemory) throws -> [EntityReader.Answer] {
        zip(keys, try reader.entities(keys)).map { EntityBlocks.answer($1, key: $0) }
    }

    func find(_ keys: [StoredKey]) -> [StoredRow] {
        keys.filter { store.hasVersion($0) }.map { StoredRow(key: $0, row: 0) }
    }

    private static func answer(
        _ result: Result<BlockStoredEntity?, PayloadFault>, key: StoredKey
    ) -> EntityReader.Answer {
        switch result {
        case .failure(let fault): return .damaged(row: 0, fault: fault)
        case .success(nil): return .absent
        case .success(let entity?):
            // A checksum can be forged, and the code that reads and merges entities relies on the form of the payload.
            guard CompactJSON.isObject(entity.payload) else { return .damaged(row: 0, fault: .notJSON) }
            return .found(
                StoredEntity(
                    key: key, row: 0, payload: entity.payload, fields: entity.fields,
                    sequence: entity.sequence.map { EventSequence($0) }, generation: entity.generation,
                    writtenAt: entity.writtenAt))
        }
    }

    func forEach(
        library: LibraryIndex, type: TypeIndex, after: ByteString?, expectedCount: Int, _ memory: JournalMemory,
        _ visit: (StoredKey, EntityReader.Answer) throws -> Bool
    ) throws {
        var batchCount = min(expectedCount, EntityBlocks.batchCountMax)
        var keys: [StoredKey] = []
        func visitKeys() throws -> Bool {
            for (key, answer) in zip(keys, try read(keys, memory)) {
                guard try visit(key, answer) else { return false }
            }
            keys.removeAll(keepingCapacity: true)
            batchCount = min(batchCount * 4, EntityBlocks.batchCountMax)
            return true
        }
        var walk = try ordered { try TypeWalk(store, library: library, type: type, after: after) }
        while let key = try ordered({ try walk.next() }) {
            keys.append(key)
            if keys.count >= batchCount, try !visitKeys() { return }
        }
        _ = try visitKeys()
    }

    func ages(after key: StoredKey?, countMax: Int) throws -> [StoredRowAge] {
        var keys: [StoredKey] = []
        try ordered {
            try store.walkKeys(after: key) { key in
                keys.append(key)
                return keys.count < countMax
            }
        }
        return zip(keys, try reader.entries(keys)).map { key, entry in
            StoredRowAge(
                stored: StoredRow(key: key, row: 0), writtenAt: entry?.writtenAt ?? .min,
                isReduced: entry?.flags.contains(.reduced) ?? false)
        }
    }

    func counts() throws -> [JournalEntityCount] {
        var counts: [JournalEntityCount] = []
        try ordered {
            try store.walkKeys { key in
                if let last = counts.last, last.library == key.library, last.type == key.type {
                    counts[counts.count - 1].count += 1
                } else {
                    counts.append(JournalEntityCount(library: key.library, type: key.type, count: 1))
                }
                return true
            }
        }
        return counts
    }

    /// Walks over keys in their order. A damaged run of keys is damage of the file: it is made anew.
    private func ordered<Value>(_ body: () throws -> Value) throws -> Value {
        do { return try body() } catch let fault as PayloadFault {
            throw SQLiteFailure.damaged("a run of keys is damaged: \(fault.rawValue)")
        }
    }
}
