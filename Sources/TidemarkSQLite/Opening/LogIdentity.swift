import Tidemark

/// Whether the log beside a file is its own.
///
/// SQLite takes any log that is whole for the file's, and would show another file's pages. So each file is given a number when it is
/// made, before it has a log; a log that shows another number was put there. Files of 0.1.0 have none, and are not asked.
enum LogIdentity {
    /// The counter that holds the number.
    static let counter = "identity"

    /// - Returns: False also when there is no log, and when either cannot be read: then something else says that it is damaged.
    static func isForeign(_ file: DataFilePath) -> Bool {
        guard DataFilePath.byteCount(file.writeAheadLog) ?? 0 > 0 else { return false }
        // A look at the main file alone takes no lock, and may meet a page that a running writer is copying there.
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
            // Who opens the file next meets the same, and says so.
            return nil
        }
    }
}
