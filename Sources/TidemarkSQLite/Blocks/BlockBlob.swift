import GRDBSQLite

/// Reads the beginnings of blocks: SQLite reads only the pages that have them, not the rest of the row.
final class BlockBlob {
    private let connection: OpaquePointer
    private var handle: OpaquePointer?

    init(_ connection: OpaquePointer) { self.connection = connection }

    deinit {
        sqlite3_blob_close(handle)
    }

    /// - Parameters:
    ///   - number: The number of a block that exists.
    ///   - count: The bytes to read; fewer when the block has fewer.
    /// - Throws: ``SQLiteFailure``.
    func prefix(of number: Int64, _ count: Int) throws -> [UInt8] {
        if handle == nil {
            try check(sqlite3_blob_open(connection, "main", "blocks", "body", number, 0, &handle))
        } else {
            try check(sqlite3_blob_reopen(handle, number))
        }
        let count = min(count, Int(sqlite3_blob_bytes(handle)))
        var bytes = [UInt8](repeating: 0, count: count)
        try check(sqlite3_blob_read(handle, &bytes, Int32(count), 0))
        return bytes
    }

    private func check(_ code: Int32) throws {
        guard code == SQLITE_OK else { throw SQLiteFailure(code, connection: connection) }
    }
}
