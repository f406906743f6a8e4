import GRDBSQLite
import TidemarkModel

/// A compiled SQL statement, kept for many runs.
///
/// Values are bound and read without conversions: bytes are passed by pointer. Owner: the code that owns the
/// connection. A statement must be freed before its connection closes.
final class PreparedStatement {
    private let connection: OpaquePointer
    private let handle: OpaquePointer

    /// - Throws: ``SQLiteError`` when the schema does not match the statement, or cannot be read.
    init(_ connection: OpaquePointer, _ sql: String) throws {
        var handle: OpaquePointer?
        let code = sqlite3_prepare_v3(connection, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &handle, nil)
        guard code == SQLITE_OK, let handle else { throw SQLiteError(code, connection: connection) }
        self.connection = connection
        self.handle = handle
    }

    deinit {
        sqlite3_finalize(handle)
    }

    // MARK: Values in

    func bind(_ index: Int32, _ value: Int64) {
        sqlite3_bind_int64(handle, index, value)
    }

    func bind(_ index: Int32, _ value: Int64?) {
        if let value { sqlite3_bind_int64(handle, index, value) } else { sqlite3_bind_null(handle, index) }
    }

    /// Binds bytes without a copy; they must stay valid until the statement was run.
    func bindBorrowed(_ index: Int32, blob bytes: UnsafeRawBufferPointer) {
        guard let start = bytes.baseAddress else {
            sqlite3_bind_zeroblob(handle, index, 0)
            return
        }
        sqlite3_bind_blob64(handle, index, start, UInt64(bytes.count), nil)
    }

    /// Binds text without a copy; it must stay valid until the statement was run.
    func bindBorrowed(_ index: Int32, text bytes: UnsafeRawBufferPointer) {
        guard let start = bytes.baseAddress, !bytes.isEmpty else {
            sqlite3_bind_text(handle, index, "", 0, PreparedStatement.copy)
            return
        }
        sqlite3_bind_text64(
            handle, index, start.assumingMemoryBound(to: CChar.self), UInt64(bytes.count), nil, UInt8(SQLITE_UTF8))
    }

    /// Binds a copy of the bytes.
    func bind(_ index: Int32, blob bytes: [UInt8]) {
        bytes.withUnsafeBytes { bytes in
            if bytes.isEmpty {
                _ = sqlite3_bind_zeroblob(handle, index, 0)
            } else {
                _ = sqlite3_bind_blob64(handle, index, bytes.baseAddress, UInt64(bytes.count), PreparedStatement.copy)
            }
        }
    }

    /// Binds a copy of the bytes, or NULL.
    func bind(_ index: Int32, blob bytes: [UInt8]?) {
        if let bytes { bind(index, blob: bytes) } else { sqlite3_bind_null(handle, index) }
    }

    /// Binds a copy of the text, or NULL.
    func bind(_ index: Int32, text: ByteString?) {
        guard let text else {
            sqlite3_bind_null(handle, index)
            return
        }
        text.bytes.withUnsafeBytes { bytes in
            if bytes.isEmpty {
                _ = sqlite3_bind_text(handle, index, "", 0, PreparedStatement.copy)
            } else {
                _ = sqlite3_bind_text64(
                    handle, index, bytes.baseAddress?.assumingMemoryBound(to: CChar.self), UInt64(bytes.count),
                    PreparedStatement.copy, UInt8(SQLITE_UTF8))
            }
        }
    }

    // MARK: Running

    /// Advances to the next row.
    ///
    /// - Returns: True if there is a row to read.
    /// - Throws: ``SQLiteError``; the statement is then reset.
    func step() throws -> Bool {
        let code = sqlite3_step(handle)
        if code == SQLITE_ROW { return true }
        if code == SQLITE_DONE { return false }
        let failure = SQLiteError(code, connection: connection)
        sqlite3_reset(handle)
        throw failure
    }

    /// Runs a statement that returns no rows, and resets it for the next run.
    func run() throws {
        _ = try step()
        sqlite3_reset(handle)
    }

    /// Runs an insertion.
    ///
    /// - Returns: False if the key already exists; nothing was then written.
    func runUnlessTaken() throws -> Bool {
        let code = sqlite3_step(handle)
        let failure = code == SQLITE_DONE ? nil : SQLiteError(code, connection: connection)
        sqlite3_reset(handle)
        guard let failure else { return true }
        if failure.code & 0xFF == SQLITE_CONSTRAINT { return false }
        throw failure
    }

    func reset() {
        sqlite3_reset(handle)
    }

    /// The number of rows that the last run changed.
    var changedRowCount: Int {
        Int(sqlite3_changes(connection))
    }

    /// Runs `body` for each row and then resets the statement, even when `body` throws.
    func forEachRow(_ body: (PreparedStatement) throws -> Void) throws {
        defer { reset() }
        while try step() {
            try body(self)
        }
    }

    // MARK: Values out

    func isNull(_ column: Int32) -> Bool {
        sqlite3_column_type(handle, column) == SQLITE_NULL
    }

    func isBlob(_ column: Int32) -> Bool {
        sqlite3_column_type(handle, column) == SQLITE_BLOB
    }

    func integer(_ column: Int32) -> Int64 {
        sqlite3_column_int64(handle, column)
    }

    func optionalInteger(_ column: Int32) -> Int64? {
        isNull(column) ? nil : integer(column)
    }

    /// Returns the bytes of a text or blob; they are valid until the next step or reset.
    func borrowedBytes(_ column: Int32) -> UnsafeRawBufferPointer {
        let start = sqlite3_column_blob(handle, column)
        return UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : Int(sqlite3_column_bytes(handle, column)))
    }

    func text(_ column: Int32) -> ByteString {
        ByteString(borrowedBytes(column))
    }

    func optionalText(_ column: Int32) -> ByteString? {
        isNull(column) ? nil : text(column)
    }

    /// The marker that makes SQLite copy a bound value.
    private static let copy = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
}
