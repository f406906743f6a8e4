import CSQLiteShim
import Foundation
import GRDB
import Tidemark
import TidemarkStore

/// Makes data files, and opens the connection that writes one.
enum DataFileConnection {
    /// Makes a file with the current schema under an unfinished name; ``finish(_:_:)`` then gives it its name.
    ///
    /// Whoever looks sees no file or a whole one, after a power failure too.
    ///
    /// - Parameter contents: Written into it before it has its name.
    static func make(
        _ file: DataFilePath, contents: FlushBatch, _ configuration: SQLiteJournal.Configuration
    ) throws {
        for suffix in ["", "-journal", "-wal", "-shm"] { unlink(file.unfinished + suffix) }
        let descriptor = Foundation.open(file.unfinished, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw DataFilePath.failure("cannot make \(file.path)", errno) }
        Foundation.close(descriptor)
        do {
            let queue = try open(file.unfinished)
            try queue.writeWithoutTransaction { db in
                try db.execute(sql: "PRAGMA page_size = \(DataFile.pageByteCount)")
                // Free pages can be taken out of the file; it can be chosen only now.
                try db.execute(sql: "PRAGMA auto_vacuum = INCREMENTAL")
                try db.execute(sql: "PRAGMA synchronous = FULL")
            }
            try DataFileSchema.migrator().migrate(queue)
            try queue.writeWithoutTransaction { db in
                try db.execute(
                    sql: "INSERT INTO counters (name, value) VALUES (?, ?)",
                    arguments: [LogIdentity.counter, Int64(truncatingIfNeeded: configuration.random() >> 1) | 1])
            }
            try queue.close()
            if !contents.isEmpty { try fill(file, contents, configuration) }
        } catch {
            for suffix in ["", "-journal", "-wal", "-shm"] { unlink(file.unfinished + suffix) }
            throw error
        }
    }

    private static func fill(
        _ file: DataFilePath, _ contents: FlushBatch, _ configuration: SQLiteJournal.Configuration
    ) throws {
        let database = try JournalDatabase(DataFilePath(file.unfinished), configuration)
        do {
            _ = try database.recover()
            try database.commit(contents)
        } catch {
            do {
                try database.close()
            } catch {
                // What made the first step fail is reported; the file goes anyway.
            }
            throw error
        }
        try database.close()
    }

    /// How long a lock of another connection is waited for.
    static let busyMillisecondCount = 5_000

    /// Gives a file that was made its name.
    static func finish(_ file: DataFilePath, _ configuration: SQLiteJournal.Configuration) throws {
        try rename(file.unfinished, to: file.path, file, configuration)
    }

    /// Says that a file that was made is whole, and takes the place of one that is still there: from here on nothing but
    /// ``replace(_:_:)`` is done, however often the process ends.
    static func promise(_ file: DataFilePath, _ configuration: SQLiteJournal.Configuration) throws {
        try rename(file.unfinished, to: file.replacement, file, configuration)
    }

    /// Gives a file that was promised its name. The one before it was moved aside.
    static func replace(_ file: DataFilePath, _ configuration: SQLiteJournal.Configuration) throws {
        try rename(file.replacement, to: file.path, file, configuration)
    }

    private static func rename(
        _ source: String, to target: String, _ file: DataFilePath, _ configuration: SQLiteJournal.Configuration
    ) throws {
        let failure = configuration.names.rename(source, to: target)
        guard failure == 0 else { throw DataFilePath.failure("cannot make \(target)", failure) }
        configuration.names.syncFolder(file.folder)
    }

    /// Opens a connection with what holds for every one that writes; the log is chosen by who uses it.
    ///
    /// - Throws: `DatabaseError`.
    static func open(_ path: String) throws -> DatabaseQueue {
        var configuration = GRDB.Configuration()
        configuration.label = "tidemark.journal"
        configuration.foreignKeysEnabled = false
        configuration.busyMode = .timeout(Double(busyMillisecondCount) / 1_000)
        configuration.prepareDatabase { db in
            try SQLiteFailure.check(tidemark_sqlite_defend(db.sqliteConnection), connection: db.sqliteConnection)
            for pragma in ["trusted_schema = OFF", "cell_size_check = ON", "temp_store = MEMORY"] {
                try db.execute(sql: "PRAGMA \(pragma)")
            }
        }
        return try DatabaseQueue(path: path, configuration: configuration)
    }
}
