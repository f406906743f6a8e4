import Foundation
import GRDB
import Tidemark
import TidemarkStore

/// What making room on the disk asks of the file.
extension JournalDatabase {
    /// Pages that one call moves, at most: 32 MiB.
    private static let vacuumPageCountMax = 4_096

    func rows(after key: StoredKey?, countMax: Int) throws -> [StoredRowAge] {
        let statements = try openStatements()
        return try queue.writeWithoutTransaction { db in
            var rows: [StoredRowAge] = []
            try db.inTransaction(.deferred) {
                rows = try statements.ages.rows(after: key, countMax: countMax)
                return .commit
            }
            return rows
        }
    }

    /// Bytes of the pages that hold something.
    func usedByteCount() throws -> Int64 {
        try queue.writeWithoutTransaction { db in
            let pages = try Int64.fetchOne(db, sql: "PRAGMA page_count") ?? 0
            let free = try Int64.fetchOne(db, sql: "PRAGMA freelist_count") ?? 0
            let pageByteCount = try Int64.fetchOne(db, sql: "PRAGMA page_size") ?? 0
            return (pages - free) * pageByteCount
        }
    }

    /// Takes free pages out of the file, where it was made so that this can be done, and copies the log back. A reader that holds an old
    /// state is not waited for: the next call does more.
    func shrink() throws {
        try queue.writeWithoutTransaction { db in
            guard let connection = db.sqliteConnection else { return }
            // Each step moves one page: who takes the first for the end frees no more.
            let vacuum = try PreparedStatement(
                connection, "PRAGMA incremental_vacuum(\(JournalDatabase.vacuumPageCountMax))")
            while try vacuum.step() {}
            vacuum.reset()
            try db.execute(sql: "PRAGMA busy_timeout = 0")
            defer { restoreBusyTimeout(db) }
            _ = try Row.fetchAll(db, sql: "PRAGMA wal_checkpoint(TRUNCATE)")
        }
    }

    /// - Parameter path: A file that is there is overwritten.
    func copy(to path: String) throws {
        unlink(path)
        // Before SQLite makes it with the mode that the process has.
        let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw DataFilePath.failure("cannot make \(path)", errno) }
        Foundation.close(descriptor)
        try queue.writeWithoutTransaction { db in try db.execute(sql: "VACUUM INTO ?", arguments: [path]) }
    }

    /// Drops the pages that SQLite keeps in memory. The next commit reads those it needs, mostly from the system's cache.
    func releaseMemory() {
        queue.releaseMemory()
    }

    private func restoreBusyTimeout(_ db: Database) {
        do {
            try db.execute(sql: "PRAGMA busy_timeout = \(DataFileConnection.busyMillisecondCount)")
        } catch {
            // It cannot fail: nothing is read or written. Without it a commit beside a reader's checkpoint is tried again later.
        }
    }
}
