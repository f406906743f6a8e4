import Tidemark
import TidemarkModel
import TidemarkStore

/// Reads entities in blocks that another connection may write: each call sees the state of the transaction under way.
///
/// The parts of the index that were read are kept until another connection commits.
final class SnapshotReads: EntityReads {
    private let connection: OpaquePointer
    private var current: (version: Int64, snapshot: BlockSnapshot)?

    /// - Parameter connection: A connection that lives longer; each call is made in a transaction.
    init(_ connection: OpaquePointer) { self.connection = connection }

    /// Returns the reads of a file of any form in the transaction under way.
    ///
    /// - Throws: ``SQLiteFailure``.
    static func entities(_ connection: OpaquePointer) throws -> any EntityReads {
        switch try EntityLayout(connection) {
        case .rows: try RowReads(connection, decoder: try PayloadDecoder())
        case .blocks: SnapshotReads(connection)
        }
    }

    /// Returns the blocks in the state of the transaction under way.
    ///
    /// - Throws: ``SQLiteFailure``.
    func snapshot() throws -> BlockSnapshot {
        let version = try PreparedStatement.number(connection, "PRAGMA data_version") ?? 0
        if let current, current.version == version { return current.snapshot }
        let snapshot = try BlockSnapshot(connection)
        current = (version, snapshot)
        return snapshot
    }

    /// Returns the reads of the state of the transaction under way. Entities of damaged blocks are missing, or old.
    ///
    /// - Throws: ``SQLiteFailure``.
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
            // A block that cannot be read may have a newer version: an older one is no answer.
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
        do { return try body(try reads()) } catch let damage as DamagedKeyRun { throw damage.failure }
    }
}
