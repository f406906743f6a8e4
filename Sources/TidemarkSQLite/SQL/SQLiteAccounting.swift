import CSQLiteShim
import GRDBSQLite

/// SQLite's accounting of the memory that it allocates.
///
/// SQLite counts each allocation under one lock for the whole process, for `sqlite3_memory_used` and the limits of its
/// heap. Tidemark uses neither. Threads that read and write several connections at once wait for that lock.
public enum SQLiteAccounting {
    /// Turns the accounting off, for every user of SQLite in this process.
    ///
    /// Call it when the process begins, before anything opens a database. The command does so; a library does not
    /// decide this for its host. Do not call it in a process that reads `sqlite3_memory_used` or limits SQLite's heap.
    /// - Returns: Whether the accounting is off; false where SQLite was in use already, and then nothing has changed.
    @discardableResult
    public static func turnOff() -> Bool { tidemark_sqlite_skip_accounting() == SQLITE_OK }
}
