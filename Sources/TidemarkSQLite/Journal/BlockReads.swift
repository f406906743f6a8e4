import Tidemark
import TidemarkModel
import TidemarkStore

/// Reads entities in blocks: the tables `blocks`, `segments` and `key_runs`.
///
/// Entities have no row numbers here: all have 0.
final class BlockReads: EntityReads {
    private let reader: BlockReader
    private let keys: any KeyOrder

    /// The most keys in one batch of ``forEach(library:type:after:expectedCount:_:_:)``. Consecutive keys may be in any
    /// blocks, so each block is unpacked once a batch.
    private static let batchCountMax = 262_144
    /// The most bytes of payloads that are read ahead: 128 MiB. Further entities are read one by one.
    private static let batchByteCountMax = 128 << 20

    init(_ reader: BlockReader, _ keys: any KeyOrder) {
        self.reader = reader
        self.keys = keys
    }

    func read(_ keys: [StoredKey], _ dictionaries: [Int64: PayloadDictionary]) throws -> [EntityReader.Answer] {
        zip(keys, try reader.entities(keys)).map { BlockReads.answer($1 ?? .success(nil), key: $0) }
    }

    func find(_ keys: [StoredKey]) throws -> [StoredRow] {
        try keys.filter { try self.keys.hasVersion($0) }.map { StoredRow(key: $0, row: 0) }
    }

    static func answer(_ result: Result<BlockStoredEntity?, PayloadError>, key: StoredKey) -> EntityReader.Answer {
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

    // MARK: In order

    func forEach(
        library: LibraryIndex, type: TypeIndex, after: ByteString?, expectedCount: Int,
        _ dictionaries: [Int64: PayloadDictionary], _ visit: (StoredKey, EntityReader.Answer) throws -> Bool
    ) throws -> Bool {
        var batchCount = min(expectedCount, BlockReads.batchCountMax)
        var batch: [StoredKey] = []
        func visitBatch() throws -> Bool {
            for (key, result) in zip(batch, try reader.entities(batch, byteCountMax: BlockReads.batchByteCountMax)) {
                let answer = try result.map { BlockReads.answer($0, key: key) } ?? read(key, dictionaries)
                guard try visit(key, answer) else { return false }
            }
            batch.removeAll(keepingCapacity: true)
            batchCount = min(batchCount * 4, BlockReads.batchCountMax)
            return true
        }
        var walk = try ordered { try TypeWalk(keys, library: library, type: type, after: after) }
        while let key = try ordered({ try walk.next() }) {
            batch.append(key)
            if batch.count >= batchCount, try !visitBatch() { return false }
        }
        return try visitBatch()
    }

    func ages(after key: StoredKey?, countMax: Int) throws -> [StoredRowAge] {
        var found: [StoredKey] = []
        try ordered {
            try keys.walkKeys(after: key) { key in
                found.append(key)
                return found.count < countMax
            }
        }
        return zip(found, try reader.entries(found)).map { key, entry in
            StoredRowAge(
                stored: StoredRow(key: key, row: 0), writtenAt: entry?.writtenAt ?? .min,
                isReduced: entry?.flags.contains(.reduced) ?? false)
        }
    }

    func counts() throws -> [JournalEntityCount] {
        var counts: [JournalEntityCount] = []
        try ordered {
            try keys.walkKeys(after: nil) { key in
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

    /// Runs a walk over keys in order, and converts damage to ``KeyRunError``.
    private func ordered<Value>(_ body: () throws -> Value) throws -> Value {
        do { return try keys.notingDamage(body) } catch let fault as PayloadError { throw KeyRunError(fault: fault) }
    }
}

/// The error for a damaged run of the keys in order. A writer rebuilds all runs from the blocks.
struct KeyRunError: Error {
    var fault: PayloadError

    /// The error for a reader, which cannot rebuild the runs.
    var failure: SQLiteError { SQLiteError.damaged("a run of keys is damaged: \(fault.rawValue)") }
}
