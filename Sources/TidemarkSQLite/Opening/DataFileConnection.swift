import Foundation
import GRDB
import Tidemark

/// Makes data files, and opens the connection that writes one.
enum DataFileConnection {
    /// Makes a file with the current schema under an unfinished name, then gives it its name.
    ///
    /// Whoever looks sees no file or a whole one, after a power failure too.
    static func create(_ file: DataFilePath) throws {
        for suffix in ["", "-journal", "-wal", "-shm"] { unlink(file.unfinished + suffix) }
        let descriptor = Foundation.open(file.unfinished, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw DataFilePath.failure("cannot make \(file.path)", errno) }
        Foundation.close(descriptor)
        do {
            let queue = try open(file.unfinished)
            try queue.writeWithoutTransaction { db in
                try db.execute(sql: "PRAGMA page_size = \(DataFile.pageByteCount)")
                try db.execute(sql: "PRAGMA synchronous = FULL")
            }
            try DataFileSchema.migrator().migrate(queue)
            try queue.close()
        } catch {
            for suffix in ["", "-journal"] { unlink(file.unfinished + suffix) }
            throw error
        }
        guard rename(file.unfinished, file.path) == 0 else {
            throw DataFilePath.failure("cannot make \(file.path)", errno)
        }
        file.syncFolder()
    }

    /// Opens a connection with what holds for every one that writes; the log is chosen by who uses it.
    ///
    /// - Throws: `DatabaseError`.
    static func open(_ path: String) throws -> DatabaseQueue {
        var configuration = GRDB.Configuration()
        configuration.label = "tidemark.journal"
        configuration.foreignKeysEnabled = false
        configuration.busyMode = .timeout(5)
        configuration.prepareDatabase { db in
            for pragma in ["trusted_schema = OFF", "cell_size_check = ON", "temp_store = MEMORY"] {
                try db.execute(sql: "PRAGMA \(pragma)")
            }
        }
        return try DatabaseQueue(path: path, configuration: configuration)
    }
}
