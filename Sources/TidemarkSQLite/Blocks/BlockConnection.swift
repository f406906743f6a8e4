import CSQLiteShim
import GRDBSQLite

/// A connection that writes a file of blocks, with the same settings as the journal's connection.
final class BlockConnection {
    let handle: OpaquePointer

    /// - Throws: ``SQLiteError``.
    init(path: String) throws {
        var handle: OpaquePointer?
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX
        let code = sqlite3_open_v2(path, &handle, flags, nil)
        guard code == SQLITE_OK, let handle else {
            let failure = SQLiteError(code, connection: handle)
            sqlite3_close_v2(handle)
            throw failure
        }
        self.handle = handle
        sqlite3_extended_result_codes(handle, 1)
        sqlite3_busy_timeout(handle, ReadConnection.busyMillisecondsMax)
        try SQLiteError.check(tidemark_sqlite_defend(handle), connection: handle)
        // Without secure deletion, pages of merged blocks are not overwritten before they are reused: a quarter fewer
        // bytes written under skewed updates.
        for pragma in [
            "trusted_schema = OFF", "cell_size_check = ON", "temp_store = MEMORY",
            "page_size = \(DataFile.pageByteCount)", "auto_vacuum = INCREMENTAL", "journal_mode = WAL",
            "synchronous = FULL", "secure_delete = OFF", "wal_autocheckpoint = \(DataFile.checkpointPageCount)",
            "journal_size_limit = \(DataFile.pageByteCount * DataFile.checkpointPageCount)",
        ] { try execute("PRAGMA \(pragma)") }
    }

    deinit {
        sqlite3_close_v2(handle)
    }

    func execute(_ sql: String) throws {
        let code = sqlite3_exec(handle, sql, nil, nil, nil)
        guard code == SQLITE_OK else { throw SQLiteError(code, connection: handle) }
    }

    /// Runs a transaction, and rolls it back if it fails. The closure commits it.
    func transaction(_ body: () throws -> Void) throws {
        try execute("BEGIN IMMEDIATE")
        do {
            try body()
        } catch {
            // The first failure is reported. A COMMIT that failed on a full disk has already rolled back.
            _ = sqlite3_exec(handle, "ROLLBACK", nil, nil, nil)
            throw error
        }
    }
}
