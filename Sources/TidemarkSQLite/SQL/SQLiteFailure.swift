import GRDB
import GRDBSQLite
import Tidemark

/// A result code of SQLite other than success. It is used only inside this module.
struct SQLiteFailure: Error {
    /// The extended result code.
    var code: Int32
    var message: String

    /// - Parameter connection: The connection of the failed call; its last error is read.
    init(_ code: Int32, connection: OpaquePointer?) {
        let extended = connection.map { sqlite3_extended_errcode($0) } ?? code
        self.code = extended & 0xFF == code & 0xFF ? extended : code
        self.message = connection.map { String(cString: sqlite3_errmsg($0)) } ?? String(cString: sqlite3_errstr(code))
    }

    init(code: Int32, message: String) {
        self.code = code
        self.message = message
    }

    /// The kind of storage error for this code.
    ///
    /// A violated constraint is damage: this module never writes a row that violates one, unless the stored data
    /// contradicts what was read on opening.
    var storageCode: StorageError.Code {
        switch code & 0xFF {
        case SQLITE_FULL: .diskFull
        case SQLITE_CORRUPT, SQLITE_NOTADB, SQLITE_CONSTRAINT, SQLITE_FORMAT, SQLITE_MISMATCH, SQLITE_ERROR: .damaged
        case SQLITE_BUSY, SQLITE_LOCKED: .locked
        default: .inputOutput
        }
    }

    /// - Parameter path: The path of the data file.
    func storageError(path: String) -> StorageError {
        let code = storageCode
        let cause = "SQLite \(self.code): \(message)"
        return switch code {
        case .diskFull:
            StorageError(
                code, "no space to write \(path)", cause: cause, advice: "free some space; writing resumes by itself")
        case .damaged:
            StorageError(
                code, "\(path) contradicts itself", cause: cause,
                advice: "open it for writing: it is moved aside and created anew")
        case .locked:
            StorageError(code, "\(path) is in use", cause: cause, advice: "wait for the other process, or stop it")
        default:
            StorageError(
                code, "cannot read or write \(path)", cause: cause,
                advice: "check the disk and the permissions of the folder; writing resumes by itself")
        }
    }

    /// Converts any error of SQL work into a storage error.
    static func storageError(_ error: any Error, path: String) -> StorageError {
        switch error {
        case let error as StorageError: error
        case let error as SQLiteFailure: error.storageError(path: path)
        case let error as DatabaseError:
            SQLiteFailure(code: error.extendedResultCode.rawValue, message: error.message ?? "")
                .storageError(path: path)
        // The table of the migrator holds a value that the migrator never writes.
        case let error as RowDecodingError: SQLiteFailure.damaged("\(error)").storageError(path: path)
        default:
            StorageError(.inputOutput, "cannot use \(path)", cause: "\(error)", advice: "report this as a bug")
        }
    }
}

extension SQLiteFailure {
    /// - Parameter code: The result of a call on a connection.
    /// - Throws: ``SQLiteFailure`` when the code is not success.
    static func check(_ code: Int32, connection: OpaquePointer?) throws(SQLiteFailure) {
        if code != SQLITE_OK { throw SQLiteFailure(code, connection: connection) }
    }

    /// Returns the failure for stored data that contradicts itself, as one of our own checks found.
    static func damaged(_ message: String) -> SQLiteFailure {
        SQLiteFailure(code: SQLITE_CORRUPT, message: message)
    }

    /// Returns the failure for a file that has as much as its format can have.
    static func full(_ message: String) -> SQLiteFailure {
        SQLiteFailure(code: SQLITE_FULL, message: message)
    }
}
