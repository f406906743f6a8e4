import TidemarkModel
import TidemarkStore

/// The blocks of a data file in one state, for a reader that has no index in memory.
///
/// It holds as long as nobody commits. Owner: one thread; the connection lives longer.
final class BlockSnapshot: KeyOrder {
    let index: SnapshotIndex
    let reader: BlockReader
    private let table: KeyRunTable
    private var runs: [KeyRun]?

    /// - Throws: ``SQLiteFailure``.
    init(_ connection: OpaquePointer) throws {
        // Every file of blocks was created with its number.
        let identity = try CounterTable.read(connection)[LogIdentity.counter] ?? 0
        index = try SnapshotIndex(connection, seed: UInt64(bitPattern: identity))
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
