import Tidemark

/// Checks whether the log beside a file belongs to the file.
///
/// SQLite accepts any complete log as the file's own, and would return pages of another file. So a file gets a random
/// number when it is created, before it has a log; a log with another number belongs to another file. Files of 0.1.0
/// have no number and are not checked.
enum LogIdentity {
    /// The name of the counter with the number.
    static let counter = "identity"

    /// Returns the seed for hashes of keys in a file of blocks: the file's number. Every such file was created with
    /// one; without it the segments fail their checks.
    ///
    /// - Throws: ``SQLiteError``.
    static func hashSeed(_ connection: OpaquePointer) throws -> UInt64 {
        UInt64(bitPattern: try CounterTable.read(connection)[counter] ?? 0)
    }

    /// Returns true if the log belongs to another file; false also when there is no log, and when the file or its log
    /// cannot be read, since that damage is reported elsewhere.
    static func isForeign(_ file: DataFilePath) -> Bool {
        guard DataFilePath.byteCount(file.writeAheadLog) ?? 0 > 0 else { return false }
        if SealedFiles.owner(of: file.path) != nil, SealedFiles.isLogForeign(file) { return true }
        // Reading only the main file takes no lock, so the page may be one that a running writer is copying there.
        for _ in 0..<attemptCountMax {
            guard let own = number(file, isImmutable: true), number(file, isImmutable: false) != own else {
                return false
            }
        }
        return true
    }

    private static let attemptCountMax = 3

    private static func number(_ file: DataFilePath, isImmutable: Bool) -> Int64? {
        do {
            let connection = try ReadConnection(path: file.path, isImmutable: isImmutable)
            return try withExtendedLifetime(connection) {
                try PreparedStatement.number(
                    connection.handle, "SELECT value FROM counters WHERE name = '\(counter)'")
            }
        } catch {
            // Whoever opens the file next meets the same error and reports it.
            return nil
        }
    }
}
