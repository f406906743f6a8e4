import Foundation
import Tidemark

/// Where a data file and the files beside it lie.
struct DataFilePath: Hashable, Sendable {
    /// Absolute, symbolic links resolved, so that two names of one file meet at one lock.
    let path: String

    /// - Parameter path: As the user gave it; relative to the working directory.
    init(_ path: String) {
        if let resolved = DataFilePath.resolve(path) {
            self.path = resolved
            return
        }
        let url = URL(fileURLWithPath: path)
        let folder = DataFilePath.resolve(url.deletingLastPathComponent().path)
        self.path =
            folder.map { $0 == "/" ? "/\(url.lastPathComponent)" : "\($0)/\(url.lastPathComponent)" } ?? url.path
    }

    var writeAheadLog: String { path + "-wal" }
    var sharedMemory: String { path + "-shm" }
    var rollbackJournal: String { path + "-journal" }
    var lock: String { path + "-lock" }
    /// Where a new file is made before it takes its name.
    var unfinished: String { path + "-new" }
    /// A whole file that takes the place of a damaged one; there only while that is done.
    var replacement: String { path + "-rebuilt" }
    var folder: String { URL(fileURLWithPath: path).deletingLastPathComponent().path }

    /// - Returns: nil when there is no such file.
    static func byteCount(_ path: String) -> Int64? {
        var status = stat()
        return stat(path, &status) == 0 ? Int64(status.st_size) : nil
    }

    /// Bytes of the database and the journals beside it.
    /// Of the database and its log, without the log's index, which is no data and goes with the connection.
    var storedByteCount: Int64 {
        [path, writeAheadLog].reduce(0) { $0 + (DataFilePath.byteCount($1) ?? 0) }
    }

    var byteCount: Int64 {
        [path, writeAheadLog, sharedMemory, rollbackJournal].reduce(0) { $0 + (DataFilePath.byteCount($1) ?? 0) }
    }

    /// Makes the folders that are missing, for the owner only (0700); those that exist stay as they are.
    ///
    /// - Throws: ``Tidemark/StorageError`` `.cannotCreate`.
    func makeFolders() throws(StorageError) {
        var missing: [String] = []
        var url = URL(fileURLWithPath: path).deletingLastPathComponent()
        while url.path != "/", DataFilePath.byteCount(url.path) == nil {
            missing.append(url.path)
            url.deleteLastPathComponent()
        }
        for folder in missing.reversed() where mkdir(folder, 0o700) != 0 && errno != EEXIST {
            throw DataFilePath.failure("cannot make the folder \(folder)", errno)
        }
    }

    /// - Parameter number: An `errno`.
    static func failure(_ message: String, _ number: Int32) -> StorageError {
        let cause = String(cString: strerror(number))
        if number == ENOSPC || number == EDQUOT {
            return StorageError(.diskFull, message, cause: cause, advice: "free some space, then try again")
        }
        return StorageError(
            .cannotCreate, message, cause: cause, advice: "choose another place, or change the folder's permissions")
    }

    private static func resolve(_ path: String) -> String? {
        guard let resolved = realpath(path, nil) else { return nil }
        defer { free(resolved) }
        return String(cString: resolved)
    }
}
