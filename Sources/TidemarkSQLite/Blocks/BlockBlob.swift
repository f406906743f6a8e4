import GRDBSQLite
import TidemarkModel
import TidemarkStore

/// Reads the beginnings of blocks. SQLite then reads only the pages with these bytes, not the rest of the row.
final class BlockBlob {
    private let connection: OpaquePointer
    private var handle: OpaquePointer?

    init(_ connection: OpaquePointer) { self.connection = connection }

    deinit {
        sqlite3_blob_close(handle)
    }

    /// Returns the first bytes of a block.
    ///
    /// - Parameters:
    ///   - number: The number of a block that exists.
    ///   - count: The bytes to read; fewer are returned when the block has fewer.
    /// - Throws: ``SQLiteError``.
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

    /// Reads the head of a block.
    ///
    /// - Parameter byteCount: The size of the block's row.
    /// - Throws: ``SQLiteError``.
    func head(of number: Int64, byteCount: Int) throws -> Result<BlockHead, PayloadError> {
        try prefix(of: number, BlockCodec.headByteCountMax).withUnsafeBytes { bytes in
            Result { () throws(PayloadError) in try BlockHead(bytes, blockByteCount: byteCount) }
        }
    }

    /// Reads the head and the directory of a block. The returned content has no data.
    ///
    /// - Parameter byteCount: The size of the block's row.
    /// - Throws: ``SQLiteError``.
    func directory(of number: Int64, byteCount: Int) throws -> Result<BlockContent, PayloadError> {
        switch try head(of: number, byteCount: byteCount) {
        case .failure(let fault): return .failure(fault)
        case .success(let head):
            let bytes = try prefix(of: number, head.data.lowerBound)
            let directory = bytes.withUnsafeBytes { bytes in
                Result { () throws(PayloadError) in
                    try BlockDirectory(bytes, number: number, blockByteCount: byteCount)
                }
            }
            return directory.map { BlockContent($0, bytes: bytes, data: []) }
        }
    }

    /// Calls a closure with the head of each block whose head can be parsed. Heads are not checked.
    ///
    /// - Throws: ``SQLiteError``.
    /// - Complexity: O(blocks).
    static func forEachHead(_ connection: OpaquePointer, _ body: (BlockHead) throws -> Void) throws {
        let blob = BlockBlob(connection)
        try PreparedStatement(connection, "SELECT number, length(body) FROM blocks").forEachRow { row in
            let head = try blob.head(of: row.integer(0), byteCount: Int(clamping: row.integer(1)))
            if case .success(let head) = head { try body(head) }
        }
    }

    private func check(_ code: Int32) throws {
        guard code == SQLITE_OK else { throw SQLiteError(code, connection: connection) }
    }
}
