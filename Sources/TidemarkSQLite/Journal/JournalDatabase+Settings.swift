import GRDB

/// Settings of the connection, for tests.
extension JournalDatabase {
    /// Limits the number of pages of the file. At the limit SQLite fails as on a full disk.
    func limitPages(_ count: Int) throws {
        try queue.writeWithoutTransaction { try $0.execute(sql: "PRAGMA max_page_count = \(count)") }
    }

    /// Returns SQLite's settings for the durability of a commit, for tests.
    func syncSettings() throws -> (synchronous: Int?, fullfsync: Int?) {
        try queue.writeWithoutTransaction { db in
            (try Int.fetchOne(db, sql: "PRAGMA synchronous"), try Int.fetchOne(db, sql: "PRAGMA fullfsync"))
        }
    }
}
