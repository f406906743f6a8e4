import GRDB
import Tidemark
import TidemarkModel
import TidemarkStore

/// Moves entities from rows to blocks, once a file has many.
extension JournalDatabase {
    /// Moves the entities into blocks, in one transaction, if the next flush brings their number to the limit. If this
    /// fails, for example because the disk is full, they stay rows until the file is opened again.
    ///
    /// - Throws: Errors of SQLite, when no statements could be prepared for blocks.
    func moveEntities(before flush: FlushBatch) throws {
        guard let countMin = configuration.blockEntityCountMin, canMove else { return }
        let count = memory.storedEntityCount
        guard count + Int64(flush.rows.count) >= countMin else { return }
        let insertCount = flush.rows.lazy.filter { $0.change == .insert }.count
        guard count + Int64(insertCount) >= countMin else { return }
        try queue.writeWithoutTransaction { db in
            try moving(db) { connection in
                try transaction(db) {
                    try BlockMigration.begin(db)
                    var migration = try migration(connection)
                    while try migration.copy() {}
                    return try finishMoving(db)
                }
            }
        }
    }

    /// Moves the entities of a file of rows that has many, or continues where an earlier writer ended. Each step is a
    /// transaction of its own.
    ///
    /// - Throws: Errors of SQLite, when a half-moved file can be neither moved nor restored.
    /// - Complexity: O(entities · log entities), once in the life of a file.
    func moveEntitiesAtOpening(_ db: Database, _ statements: JournalStatements) throws {
        guard canMove else { return }
        let isMoving = try PreparedStatement.number(statements.connection, BlockMigration.movedCountQuery) != nil
        let count = memory.storedEntityCount
        guard isMoving || configuration.blockEntityCountMin.map({ count >= $0 }) == true else { return }
        try moving(db) { connection in
            try transaction(db) { try BlockMigration.begin(db) }
            var migration = try migration(connection)
            var hasMore = true
            while hasMore {
                hasMore = try transaction(db) { try migration.copy() }
                if hasMore { configuration.onMove(migration.movedCount, max(count, migration.movedCount)) }
            }
            return try transaction(db) { try finishMoving(db) }
        }
    }

    private func transaction<Value>(_ db: Database, _ body: () throws -> Value) throws -> Value {
        var value: Value?
        try db.inTransaction(.immediate) {
            value = try body()
            return .commit
        }
        guard let value else { throw closed }
        return value
    }

    private func migration(_ connection: OpaquePointer) throws -> BlockMigration {
        try BlockMigration(
            connection, memory, compression: configuration.compression, stepCountMax: configuration.movedCountPerStep)
    }

    private func finishMoving(_ db: Database) throws -> [FieldIndexRecord] {
        try BlockMigration.finish(db, try openStatements().fieldIndexes, memory.indexes)
    }

    /// Runs a move, and prepares the statements for blocks if it succeeds; otherwise entities stay rows.
    ///
    /// - Parameter body: Returns the indexes after the move.
    private func moving(_ db: Database, _ body: (OpaquePointer) throws -> [FieldIndexRecord]) throws {
        guard let connection = db.sqliteConnection else { throw closed }
        canMove = false
        let indexes: [FieldIndexRecord]
        do {
            indexes = try body(connection)
        } catch {
            if let damage = error as? BlockMigration.Damaged { report([damage.row]) }
            // With a full disk this may fail, too. The next opening then continues, and this one cannot write.
            try transaction(db) { try BlockMigration.abandon(db) }
            return
        }
        memory.setIndexes(indexes)
        try prepareStatements(connection)
    }
}
