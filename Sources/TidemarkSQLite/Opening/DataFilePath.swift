import Foundation
import Tidemark

/// The path of a data file, and the paths of the files beside it.
struct DataFilePath: Hashable, Sendable {
    /// The absolute path with symbolic links resolved, so that all paths of one file lead to one lock.
    let path: String

    /// - Parameter path: The path that the user gave; a relative one is relative to the working directory.
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
    /// The path under which a new file is created before it gets its name.
    var unfinished: String { path + "-new" }
    /// The ends of the names of files that are written to get the name of a data file.
    static let suffixesOfNewFiles = ["-new", "-rebuilt", "-erased"]
    /// The path of a complete file that replaces a damaged one; it exists only during the replacement.
    var replacement: String { path + "-rebuilt" }
    /// The path of a complete file that replaces one from which a library was erased; it exists only during the
    /// replacement.
    var erasure: String { path + "-erased" }
    var folder: String { URL(fileURLWithPath: path).deletingLastPathComponent().path }

    /// Returns the size of a file; nil when there is no such file.
    static func byteCount(_ path: String) -> Int64? {
        var status = stat()
        return stat(path, &status) == 0 ? Int64(status.st_size) : nil
    }

    /// The bytes of the database and its log. The log's index is not counted: it contains no data, and is deleted with
    /// the last connection.
    var storedByteCount: Int64 {
        [path, writeAheadLog].reduce(0) { $0 + (DataFilePath.byteCount($1) ?? 0) }
    }

    /// The bytes of the database and of all journals beside it.
    var byteCount: Int64 {
        [path, writeAheadLog, sharedMemory, rollbackJournal].reduce(0) { $0 + (DataFilePath.byteCount($1) ?? 0) }
    }

    /// Creates the missing folders for the owner only (0700); existing folders are not changed.
    ///
    /// - Throws: ``/Tidemark/StorageError`` `.cannotCreate`.
    func makeFolders() throws(StorageError) {
        var missing: [String] = []
        var url = URL(fileURLWithPath: path).deletingLastPathComponent()
        while url.path != "/", DataFilePath.byteCount(url.path) == nil {
            missing.append(url.path)
            url.deleteLastPathComponent()
        }
        for folder in missing.reversed() where mkdir(folder, 0o700) != 0 && errno != EEXIST {
            throw DataFilePath.failure("cannot create the folder \(folder)", errno)
        }
    }

    /// Returns the storage error for a failed system call.
    ///
    /// - Parameter number: The `errno` of the call.
    static func failure(_ message: String, _ number: Int32) -> StorageError {
        let cause = String(cString: strerror(number))
        if number == EPERM {
            return StorageError(
                .protected, message, cause: cause,
                advice: "wait until the device is unlocked, or check the protection of the file")
        }
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
