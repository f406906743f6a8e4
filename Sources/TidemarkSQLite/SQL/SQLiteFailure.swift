import GRDB
import GRDBSQLite
import Tidemark

/// A result code that SQLite gave instead of success. Stays inside this module.
struct SQLiteFailure: Error {
    /// The extended result code.
    var code: Int32
    var message: String

    /// - Parameter connection: Where the failed call ran; its last error is read.
    init(_ code: Int32, connection: OpaquePointer?) {
        let extended = connection.map { sqlite3_extended_errcode($0) } ?? code
        self.code = extended & 0xFF == code & 0xFF ? extended : code
        self.message = connection.map { String(cString: sqlite3_errmsg($0)) } ?? String(cString: sqlite3_errstr(code))
    }

    init(code: Int32, message: String) {
        self.code = code
        self.message = message
    }

    /// What kind of storage error it amounts to.
    ///
    /// A broken constraint is damage: this module never writes a row that breaks one unless what is
    /// stored contradicts what it was told on opening.
    var storageCode: StorageError.Code {
        switch code & 0xFF {
        case SQLITE_FULL: .diskFull
        case SQLITE_CORRUPT, SQLITE_NOTADB, SQLITE_CONSTRAINT, SQLITE_FORMAT, SQLITE_MISMATCH, SQLITE_ERROR: .damaged
        case SQLITE_BUSY, SQLITE_LOCKED: .locked
        default: .inputOutput
        }
    }

    /// - Parameter path: The data file.
    func storageError(path: String) -> StorageError {
        let code = storageCode
        let cause = "SQLite \(self.code): \(message)"
        return switch code {
        case .diskFull:
            StorageError(
                code, "no room to write \(path)", cause: cause, advice: "free some space; writing resumes by itself")
        case .damaged:
            StorageError(
                code, "\(path) contradicts itself", cause: cause,
                advice: "open it for writing: it is moved aside and made anew")
        case .locked:
            StorageError(code, "\(path) is in use", cause: cause, advice: "wait for the other process, or stop it")
        default:
            StorageError(
                code, "cannot read or write \(path)", cause: cause,
                advice: "check the disk and the permissions of the folder; writing resumes by itself")
        }
    }

    /// Any error that a block of SQL work can end with, as a storage error.
    static func storageError(_ error: any Error, path: String) -> StorageError {
        switch error {
        case let error as StorageError: error
        case let error as SQLiteFailure: error.storageError(path: path)
        case let error as DatabaseError:
            SQLiteFailure(code: error.extendedResultCode.rawValue, message: error.message ?? "")
                .storageError(path: path)
        // The migrator's own table holds what it never wrote.
        case let error as RowDecodingError: SQLiteFailure.damaged("\(error)").storageError(path: path)
        default:
            StorageError(.inputOutput, "cannot use \(path)", cause: "\(error)", advice: "report this as a bug")
        }
    }
}

extension SQLiteFailure {
    /// - Parameter code: What a call on a connection gave.
    /// - Throws: When that is no success.
    static func check(_ code: Int32, connection: OpaquePointer?) throws(SQLiteFailure) {
        if code != SQLITE_OK { throw SQLiteFailure(code, connection: connection) }
    }

    /// What is stored contradicts itself, as found by a check of ours.
    static func damaged(_ message: String) -> SQLiteFailure {
        SQLiteFailure(code: SQLITE_CORRUPT, message: message)
    }
}
