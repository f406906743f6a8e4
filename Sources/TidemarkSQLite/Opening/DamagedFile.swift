import Foundation
import Tidemark

/// Moves a damaged data file aside, with its journals.
enum DamagedFile {
    /// Moves a file and its journals aside.
    ///
    /// - Returns: The new path of the database: `<path>.damaged-<UTC time>`, with a number appended if that already
    ///   exists.
    /// - Throws: ``/Tidemark/StorageError`` `.cannotCreate` when a file cannot be renamed.
    static func moveAside(
        _ file: DataFilePath, _ configuration: SQLiteJournal.Configuration
    ) throws(StorageError) -> String {
        let stamp = timestamp(configuration.now())
        var target = "\(file.path).damaged-\(stamp)"
        var attempt = 1
        while DataFilePath.byteCount(target) != nil {
            attempt += 1
            target = "\(file.path).damaged-\(stamp)-\(attempt)"
        }
        // The journals are moved first: an old log that stayed here would be replayed into the new database.
        for suffix in ["-wal", "-journal", "-shm", ""] where DataFilePath.byteCount(file.path + suffix) != nil {
            let failure = configuration.names.rename(file.path + suffix, to: target + suffix)
            guard failure == 0 else {
                throw DataFilePath.failure("cannot move \(file.path + suffix) aside", failure)
            }
        }
        configuration.names.syncFolder(file.folder)
        return target
    }

    /// Returns the path of the file that was moved aside most recently; nil when there is none.
    static func newest(_ file: DataFilePath) -> String? {
        all(file).last?.path
    }

    /// Returns the files that were moved aside, oldest first, without their journals.
    static func all(_ file: DataFilePath) -> [(path: String, byteCount: Int64)] {
        let prefix = URL(fileURLWithPath: file.path).lastPathComponent + ".damaged-"
        do {
            let names = try FileManager.default.contentsOfDirectory(atPath: file.folder)
            let ends = ["-wal", "-journal", "-shm"]
            return names.filter { name in name.hasPrefix(prefix) && !ends.contains { name.hasSuffix($0) } }
                .sorted().map { "\(file.folder)/\($0)" }.map { ($0, DataFilePath.byteCount($0) ?? 0) }
        } catch {
            // The names are only informative, so an error is not reported.
            return []
        }
    }

    /// Formats a time as in `20260131T235959Z`.
    private static func timestamp(_ milliseconds: Int64) -> String {
        var seconds = time_t(milliseconds / 1_000)
        var parts = tm()
        gmtime_r(&seconds, &parts)
        let date = [parts.tm_year + 1_900, parts.tm_mon + 1, parts.tm_mday].map { digits(Int($0)) }.joined()
        let time = [parts.tm_hour, parts.tm_min, parts.tm_sec].map { digits(Int($0)) }.joined()
        return "\(date)T\(time)Z"
    }

    private static func digits(_ value: Int) -> String {
        value < 10 ? "0\(value)" : "\(value)"
    }
}
