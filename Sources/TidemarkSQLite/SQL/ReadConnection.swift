import CSQLiteShim
import Foundation
import GRDBSQLite
import Tidemark

/// A connection that cannot write: it changes no page, takes no lock that blocks a writer, and makes no checkpoint.
final class ReadConnection {
    let handle: OpaquePointer

    /// Opens a file for reading.
    ///
    /// - Parameters:
    ///   - path: The path of an existing file.
    ///   - isImmutable: True to read only the main file, without reading journals or creating a `-shm`, for example in
    ///     a first check of a file that may belong to another program. Ignored for a file that this process has open.
    ///   - header: The bytes to use as the first 100 of the main file; nil to use its own.
    /// - Throws: ``SQLiteError``.
    init(path: String, isImmutable: Bool, header: [UInt8]? = nil) throws {
        var handle: OpaquePointer?
        // SQLite does not track its descriptors of immutable files, and closing one would release the locks of this
        // process's writer.
        let isImmutable = isImmutable && !FilesInUse.contains(path)
        var uri = ReadConnection.uri(path) + (isImmutable ? "?immutable=1" : "?mode=ro")
        if let header {
            try SQLiteError.check(ReadConnection.headerRegistration, connection: nil)
            uri += "&vfs=\(TIDEMARK_SQLITE_HEADER_VFS)&header=\(header.map(ReadConnection.digits).joined())"
        }
        if SealedFiles.owner(of: path) != nil { uri += "&vfs=\(TIDEMARK_SQLITE_SEALED_VFS)" }
        let flags = SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX
        let code = sqlite3_open_v2(uri, &handle, flags, nil)
        guard code == SQLITE_OK, let handle else {
            let failure = SQLiteError(code, connection: handle)
            sqlite3_close_v2(handle)
            throw failure
        }
        self.handle = handle
        sqlite3_extended_result_codes(handle, 1)
        sqlite3_busy_timeout(handle, ReadConnection.busyMillisecondsMax)
        try SQLiteError.check(tidemark_sqlite_defend(handle), connection: handle)
        for pragma in ["trusted_schema = OFF", "cell_size_check = ON", "query_only = ON", "temp_store = MEMORY"] {
            try execute("PRAGMA \(pragma)")
        }
    }

    deinit {
        sqlite3_close_v2(handle)
    }

    /// How long to wait while a writer recovers its log, in milliseconds: 5 s.
    static let busyMillisecondsMax: Int32 = 5_000

    /// The result of registering the VFS of known headers with SQLite, once.
    private static let headerRegistration = tidemark_sqlite_register_header_vfs()

    private static func digits(_ byte: UInt8) -> String {
        (byte < 16 ? "0" : "") + String(byte, radix: 16)
    }

    func execute(_ sql: String) throws {
        let code = sqlite3_exec(handle, sql, nil, nil, nil)
        guard code == SQLITE_OK else { throw SQLiteError(code, connection: handle) }
    }

    /// Returns the path as a URI, with the characters percent-encoded that are special in one.
    private static func uri(_ path: String) -> String {
        var bytes = Array("file:".utf8)
        for byte in path.utf8 {
            switch byte {
            case UInt8(ascii: "%"), UInt8(ascii: "?"), UInt8(ascii: "#"):
                bytes += Array("%\(String(byte, radix: 16))".utf8)
            default:
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
