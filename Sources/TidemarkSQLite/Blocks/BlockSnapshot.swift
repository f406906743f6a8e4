import TidemarkModel
import TidemarkStore

/// The blocks of a data file in one state, for a reader without an index in memory.
///
/// A snapshot is valid until another connection commits. Owner: one thread. The connection must outlive it.
final class BlockSnapshot: KeyOrder {
    let index: SnapshotIndex
    let reader: BlockReader
    private let table: KeyRunTable
    private var runs: [KeyRun]?

    /// - Throws: ``SQLiteError``.
    init(_ connection: OpaquePointer) throws {
        index = try SnapshotIndex(connection, seed: try LogIdentity.hashSeed(connection))
        reader = try BlockReader(connection, index) { try DictionaryTable.read(connection).dictionaries[$0] }
        table = try KeyRunTable(connection)
    }

    func keyWalk(after start: [UInt8]?) throws -> KeyWalk {
        let runs = try self.runs ?? table.runs()
        self.runs = runs
        return try KeyWalk(runs, table, after: start)
    }

    func noteDamagedRun() {}

    func hasVersion(_ key: StoredKey) throws -> Bool { try index.location(of: index.hash(key)) != nil }
}
