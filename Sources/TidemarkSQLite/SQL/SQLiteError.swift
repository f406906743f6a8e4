import Foundation
import GRDB
import GRDBSQLite
import Tidemark

/// A result code of SQLite other than success. Used only inside this module.
struct SQLiteError: Error {
    /// The extended result code.
    var code: Int32
    var message: String
    /// The system's `errno` for a failed access to the file; 0 when there is none.
    var systemError: Int32 = 0

    /// Creates the failure of a call.
    ///
    /// - Parameter connection: The connection of the failed call, whose last error is read; nil when there is none.
    init(_ code: Int32, connection: OpaquePointer?) {
        let extended = connection.map { sqlite3_extended_errcode($0) } ?? code
        self.code = extended & 0xFF == code & 0xFF ? extended : code
        self.message = connection.map { String(cString: sqlite3_errmsg($0)) } ?? String(cString: sqlite3_errstr(code))
        systemError = connection.map { sqlite3_system_errno($0) } ?? 0
    }

    init(code: Int32, message: String) {
        self.code = code
        self.message = message
    }

    /// The storage error code for this failure.
    ///
    /// A violated constraint counts as damage: this module never writes a row that violates one, unless the stored data
    /// contradicts what was read at opening.
    var storageCode: StorageError.Code {
        switch code & 0xFF {
        case _ where isProtected: .protected
        case SQLITE_FULL: .diskFull
        case SQLITE_CORRUPT, SQLITE_NOTADB, SQLITE_CONSTRAINT, SQLITE_FORMAT, SQLITE_MISMATCH, SQLITE_ERROR: .damaged
        case SQLITE_BUSY, SQLITE_LOCKED: .locked
        default: .inputOutput
        }
    }

    /// True if the system refused access to the file, as iOS does while the device is locked.
    private var isProtected: Bool {
        switch code & 0xFF {
        case SQLITE_PERM, SQLITE_AUTH: true
        case SQLITE_IOERR: code == SQLiteError.accessRefused || systemError == EPERM
        case SQLITE_CANTOPEN: systemError == EPERM
        default: false
        }
    }

    /// `SQLITE_IOERR_AUTH`, a macro that Swift does not import.
    private static let accessRefused = SQLITE_IOERR | (28 << 8)

    /// Returns the storage error for this failure.
    ///
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
        case .protected: SQLiteError.protected(path, cause: cause)
        case .locked:
            StorageError(code, "\(path) is in use", cause: cause, advice: "wait for the other process, or stop it")
        default:
            StorageError(
                code, "cannot read or write \(path)", cause: cause,
                advice: "check the disk and the permissions of the folder; writing resumes by itself")
        }
    }

    /// Returns the error for a file to which the system refuses access.
    static func protected(_ path: String, cause: String) -> StorageError {
        StorageError(
            .protected, "the system refuses access to \(path)", cause: cause,
            advice: "wait until the device is unlocked, or check the protection of the file")
    }

    /// Opens the file once more, to see whether the system refuses access to it. GRDB's errors do not tell.
    ///
    /// - Returns: nil when the file can be read, or when it cannot for another reason.
    private static func refusal(of path: String) -> StorageError? {
        do {
            let connection = try ReadConnection(path: path, isImmutable: false)
            try connection.execute("SELECT count(*) FROM sqlite_schema")
            return nil
        } catch let failure as SQLiteError where failure.storageCode == .protected {
            return failure.storageError(path: path)
        } catch {
            return nil
        }
    }

    /// Converts any error of SQL work into a storage error.
    static func storageError(_ error: any Error, path: String) -> StorageError {
        switch error {
        case let error as StorageError: error
        case let error as SQLiteError: error.storageError(path: path)
        case let error as DatabaseError:
            storageError(SQLiteError(code: error.extendedResultCode.rawValue, message: error.message ?? ""), path)
        // The migrator's table has a value that the migrator never writes.
        case let error as RowDecodingError: SQLiteError.damaged("\(error)").storageError(path: path)
        default:
            StorageError(.inputOutput, "cannot use \(path)", cause: "\(error)", advice: "report this as a bug")
        }
    }
}

extension SQLiteError {
    private static func storageError(_ failure: SQLiteError, _ path: String) -> StorageError {
        let refusal = failure.storageCode == .inputOutput ? refusal(of: path) : nil
        return refusal ?? failure.storageError(path: path)
    }

    /// Checks the result of a call on a connection.
    ///
    /// - Throws: ``SQLiteError`` when the code is not success.
    static func check(_ code: Int32, connection: OpaquePointer?) throws(SQLiteError) {
        if code != SQLITE_OK { throw SQLiteError(code, connection: connection) }
    }

    /// Returns the failure for stored data that one of this module's own checks found to contradict itself.
    static func damaged(_ message: String) -> SQLiteError {
        SQLiteError(code: SQLITE_CORRUPT, message: message)
    }

    /// Returns the failure for a file at a limit of its format.
    static func full(_ message: String) -> SQLiteError {
        SQLiteError(code: SQLITE_FULL, message: message)
    }
}
