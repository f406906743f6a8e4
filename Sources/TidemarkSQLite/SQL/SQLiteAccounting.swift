import CSQLiteShim
import GRDBSQLite

/// Controls SQLite's accounting of the memory that it allocates.
///
/// SQLite counts each allocation under one lock for the whole process, for `sqlite3_memory_used` and the limits of its
/// heap. Tidemark uses neither, and threads that use several connections at once wait for that lock.
public enum SQLiteAccounting {
    /// Turns the accounting off for every user of SQLite in this process.
    ///
    /// Call it when the process begins, before anything opens a database. The command `tidemark` does; a library leaves
    /// the decision to its host. Do not call it in a process that reads `sqlite3_memory_used` or limits SQLite's heap.
    ///
    /// ```swift
    /// if !SQLiteAccounting.turnOff() { print("SQLite was already in use") }
    /// ```
    ///
    /// - Returns: True if the accounting is off; false if SQLite was already in use, and nothing has changed.
    @discardableResult
    public static func turnOff() -> Bool { tidemark_sqlite_skip_accounting() == SQLITE_OK }
}
