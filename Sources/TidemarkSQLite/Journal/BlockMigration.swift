import GRDB
import TidemarkModel
import TidemarkStore

/// Moves the entities of a data file from rows into blocks.
///
/// ```
/// rows ── begin ──▶ moving ── copy … copy ── finish ──▶ blocks
///                       └── abandon ──▶ rows
/// ```
/// The caller runs each step in a transaction: all in one, or each in its own. Until the end, everybody reads the rows
/// and nobody writes entities. A counter records how many were copied, so that a later writer can continue. Owner: the
/// thread that writes.
///
/// - Source: docs/data-file.md, entities in blocks.
struct BlockMigration {
    /// An entity failed its check. The file stays one of rows, since rows show which entity was lost.
    struct Damaged: Error {
        var row: DamagedRow
    }

    /// The blocks that an earlier writer copied are damaged.
    struct DamagedCopy: Error {}

    /// The name of the counter of copied entities; it exists while entities are moved.
    static let counter = "moved_rows"

    /// The query for the number of copied entities; without a row when none are being moved.
    static let movedCountQuery = "SELECT value FROM counters WHERE name = '\(counter)'"

    private let stepCountMax: Int
    private let memory: JournalMemory
    private let decoder: PayloadDecoder
    private let store: BlockStore
    private let dictionaries: BlockDictionaries
    private let fieldCodes: FieldCodeWriter
    private let counters: CounterTable
    private let first: PreparedStatement
    private let next: PreparedStatement
    /// The last key that was copied; nil before the first one.
    private var last: StoredKey?
    /// How many entities were copied, including those of earlier writers.
    private(set) var movedCount: Int64

    /// Adds the tables of blocks, unless an earlier writer has.
    ///
    /// - Throws: Errors of SQLite.
    static func begin(_ db: Database) throws {
        guard let connection = db.sqliteConnection, try PreparedStatement.number(connection, movedCountQuery) == nil
        else { return }
        try DataFileSchema.addBlocks(db)
        try db.execute(sql: "INSERT INTO counters (name, value) VALUES (?, 0)", arguments: [counter])
    }

    /// Removes the tables of blocks, so that the file is one of rows as before.
    ///
    /// - Throws: Errors of SQLite.
    static func abandon(_ db: Database) throws {
        guard let connection = db.sqliteConnection, try PreparedStatement.number(connection, movedCountQuery) != nil
        else { return }
        try DataFileSchema.removeBlocks(db)
        try db.execute(sql: "DELETE FROM counters WHERE name = ?", arguments: [counter])
    }

    /// Prepares to copy, or to continue after the entities that were copied.
    ///
    /// - Parameters:
    ///   - connection: The writer's connection, after ``begin(_:)``.
    ///   - memory: The names, dictionaries and indexes of the file.
    ///   - compression: How the blocks are compressed.
    ///   - stepCountMax: How many entities one step copies; they are in memory at the same time.
    /// - Throws: ``SQLiteError``, ``DamagedCopy``.
    /// - Complexity: O(copied entities).
    init(
        _ connection: OpaquePointer, _ memory: JournalMemory, compression: DataCompression, stepCountMax: Int
    ) throws {
        self.stepCountMax = stepCountMax
        self.memory = memory
        decoder = try PayloadDecoder()
        dictionaries = BlockDictionaries(memory.dictionaries)
        store = try BlockStore(
            connection,
            BlockStore.Configuration(hashSeed: try LogIdentity.hashSeed(connection), compression: compression),
            dictionaries: dictionaries)
        guard !store.isRebuilt else { throw DamagedCopy() }
        fieldCodes = try FieldCodeWriter(connection)
        counters = try CounterTable(connection)
        func select(_ condition: String) -> String {
            """
            SELECT k.library, k.type, k.id, k."row", e.sequence, e.generation, e.written_at, e.body FROM keys k
            LEFT JOIN entities e ON e."row" = k."row" \(condition) ORDER BY k.library, k.type, k.id LIMIT ?1
            """
        }
        first = try PreparedStatement(connection, select(""))
        next = try PreparedStatement(connection, select("WHERE (k.library, k.type, k.id) > (?2, ?3, ?4)"))
        movedCount = try PreparedStatement.number(connection, BlockMigration.movedCountQuery) ?? 0
        guard movedCount > 0 else { return }
        let reached = try PreparedStatement(
            connection, "SELECT library, type, id FROM keys ORDER BY library, type, id LIMIT 1 OFFSET ?1")
        reached.bind(1, movedCount - 1)
        guard Int64(store.entityCount) == movedCount, try reached.step(), let key = reached.storedKey(from: 0) else {
            throw DamagedCopy()
        }
        last = key
    }

    /// Copies the next entities into blocks.
    ///
    /// - Returns: True if there are more.
    /// - Throws: ``SQLiteError``, ``Damaged``. The migration must not be used afterwards.
    mutating func copy() throws -> Bool {
        var flush = FlushBatch()
        let rows = last == nil ? first : next
        rows.bind(1, Int64(stepCountMax))
        if let last { rows.bind(last, from: 2) }
        try rows.forEachRow { row in
            guard let key = row.storedKey(from: 0) else { throw SQLiteError.damaged("a key's blob is no UUID") }
            let answer = EntityReader.answer(row, from: 3, key: key, decoder, memory.dictionaries)
            switch answer {
            case .found(let entity):
                let head = row.borrowedBytes(7).dropFirst(PayloadCodec.checkByteCount)
                flush.append(
                    entity, as: key,
                    isReduced: PayloadCodec.isReduced(header: UnsafeRawBufferPointer(rebasing: head)))
                try writeFieldCodes(of: entity)
            case .absent: break
            case .damaged(let number, let fault):
                throw Damaged(row: DamagedRow(key: memory.entityKey(key), row: number, fault: fault))
            }
            last = key
        }
        guard !flush.rows.isEmpty else { return false }
        _ = try store.stage(flush, dictionaries: dictionaries)
        // The caller commits. After an error the store is no longer used.
        try store.publish {}
        movedCount += Int64(flush.rows.count)
        try counters.write(BlockMigration.counter, movedCount)
        return true
    }

    private func writeFieldCodes(of entity: StoredEntity) throws {
        guard let indexes = memory.indexesByType[entity.key.type] else { return }
        try entity.key.id.withBytes { Array($0) }.withUnsafeBytes { id in
            try entity.payload.withUnsafeBytes { payload in
                try fieldCodes.write(
                    FieldOwner(row: 0, library: entity.key.library, isUUID: entity.key.id.isUUID, id: id),
                    payload: payload, Completeness(fields: entity.fields), of: indexes, isNew: true)
            }
        }
    }

    /// Removes the rows, so that everybody reads the blocks. Indexes that were being built are complete, because every
    /// entity was copied with its values.
    ///
    /// - Returns: All indexes with their new states.
    /// - Throws: Errors of SQLite.
    static func finish(_ db: Database, _ table: FieldIndexTable, _ indexes: [FieldIndexRecord]) throws
        -> [FieldIndexRecord]
    {
        for table in ["entities", "keys", "field_values"] { try db.execute(sql: "DELETE FROM \(table)") }
        try db.execute(sql: "DELETE FROM counters WHERE name = ?", arguments: [counter])
        var indexes = indexes
        for place in indexes.indices where indexes[place].state == .building {
            indexes[place].state = .whole
            indexes[place].built = nil
            try table.write(indexes[place])
        }
        return indexes
    }
}
