import Foundation
import GRDB
import Tidemark
import TidemarkStore

/// What making room on the disk asks of the rows, and what leaves the process.
extension JournalDatabase {
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
}
