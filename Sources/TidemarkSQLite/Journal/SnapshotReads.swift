import Tidemark
import TidemarkModel
import TidemarkStore

/// Reads entities in blocks that another connection may write. Each call sees the state of the current transaction.
///
/// Loaded parts of the index are kept until another connection commits.
final class SnapshotReads: EntityReads {
    private let connection: OpaquePointer
    private var current: (version: Int64, snapshot: BlockSnapshot)?

    /// Creates reads.
    ///
    /// - Parameter connection: A connection that outlives this object. Each call must be made in a transaction.
    init(_ connection: OpaquePointer) { self.connection = connection }

    /// Returns the reads of a file of rows or blocks in the current transaction.
    ///
    /// - Throws: ``SQLiteError``.
    static func entities(_ connection: OpaquePointer) throws -> any EntityReads {
        switch try EntityLayout(connection) {
        case .rows: try RowReads(connection, decoder: try PayloadDecoder())
        case .blocks: SnapshotReads(connection)
        }
    }

    /// Returns the blocks in the state of the current transaction.
    ///
    /// - Throws: ``SQLiteError``.
    func snapshot() throws -> BlockSnapshot {
        let version = try PreparedStatement.number(connection, "PRAGMA data_version") ?? 0
        if let current, current.version == version { return current.snapshot }
        let snapshot = try BlockSnapshot(connection)
        current = (version, snapshot)
        return snapshot
    }

    /// Returns the reads of the current transaction. Entities of damaged blocks are missing or old.
    ///
    /// - Throws: ``SQLiteError``.
    func reads() throws -> BlockReads {
        let snapshot = try snapshot()
        return BlockReads(snapshot.reader, snapshot)
    }

    func read(_ keys: [StoredKey], _ dictionaries: [Int64: PayloadDictionary]) throws -> [EntityReader.Answer] {
        let index = try snapshot().index
        let answers = try reads().read(keys, dictionaries)
        guard !index.damagedBlocks.isEmpty else { return answers }
        return try zip(keys, answers).map { key, answer in
            let hash = index.hash(key)
            // A block that cannot be read may have a newer version, so an older one must not be returned.
            guard try index.isCertain(hash, at: index.location(of: hash)) else {
                return .damaged(row: 0, fault: .checksumMismatch)
            }
            return answer
        }
    }

    func find(_ keys: [StoredKey]) throws -> [StoredRow] { try reads().find(keys) }

    func forEach(
        library: LibraryIndex, type: TypeIndex, after: ByteString?, expectedCount: Int,
        _ dictionaries: [Int64: PayloadDictionary], _ visit: (StoredKey, EntityReader.Answer) throws -> Bool
    ) throws -> Bool {
        try ordered { reads in
            try reads.forEach(
                library: library, type: type, after: after, expectedCount: expectedCount, dictionaries, visit)
        }
    }

    func ages(after key: StoredKey?, countMax: Int) throws -> [StoredRowAge] {
        try ordered { try $0.ages(after: key, countMax: countMax) }
    }

    func counts() throws -> [JournalEntityCount] { try ordered { try $0.counts() } }

    private func ordered<Value>(_ body: (BlockReads) throws -> Value) throws -> Value {
        do { return try body(try reads()) } catch let damage as KeyRunError { throw damage.failure }
    }
}
