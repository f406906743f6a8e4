import GRDB

/// What only a reader of another process's file needs.
extension JournalDatabase {
    /// Returns a number that differs after every commit of another connection.
    func dataVersion() throws -> Int64 {
        try queue.writeWithoutTransaction { db in try Int64.fetchOne(db, sql: "PRAGMA data_version") ?? 0 }
    }

    /// Frees the statements and closes the connection. The log stays as it is.
    func closeReading() throws {
        releaseStatements()
        try queue.close()
    }
}
