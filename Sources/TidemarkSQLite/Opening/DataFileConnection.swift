import CSQLiteShim
import Foundation
import GRDB
import GRDBSQLite
import Tidemark
import TidemarkStore

/// Creates data files, and opens the connection that writes one.
enum DataFileConnection {
    /// Creates a file with the current schema under an unfinished name; ``finish(_:_:)`` then renames it.
    ///
    /// Other processes see either no file or a complete one, even after a power failure.
    ///
    /// - Parameter contents: The contents that are written before the file is renamed.
    static func make(
        _ file: DataFilePath, contents: FlushBatch, _ configuration: SQLiteJournal.Configuration
    ) throws {
        for suffix in ["", "-journal", "-wal", "-shm"] { unlink(file.unfinished + suffix) }
        let descriptor = Foundation.open(file.unfinished, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw DataFilePath.failure("cannot create \(file.path)", errno) }
        Foundation.close(descriptor)
        do {
            try configuration.fileProtection?.protect(DataFilePath(file.unfinished))
            let queue = try open(file.unfinished)
            try queue.writeWithoutTransaction { db in
                try db.execute(sql: "PRAGMA page_size = \(DataFile.pageByteCount)")
                // Lets free pages be removed from the file later; the option can only be set before the file has pages.
                try db.execute(sql: "PRAGMA auto_vacuum = INCREMENTAL")
                try db.execute(sql: "PRAGMA synchronous = FULL")
            }
            try DataFileSchema.migrator().migrate(queue)
            try queue.writeWithoutTransaction { db in
                try db.execute(
                    sql: "INSERT INTO counters (name, value) VALUES (?, ?)",
                    arguments: [LogIdentity.counter, Int64(truncatingIfNeeded: configuration.random() >> 1) | 1])
                try DataFileSchema.declare([configuration.compression], isNew: true, db)
                guard configuration.layout == .blocks else { return }
                try db.inTransaction {
                    try DataFileSchema.addBlocks(db)
                    return .commit
                }
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
        let unfinished = DataFilePath(file.unfinished)
        let database = try JournalDatabase(unfinished, configuration)
        do {
            _ = try database.recover()
            try database.commit(contents)
        } catch {
            do {
                try database.close()
            } catch {
                // The first error is reported; the unfinished file is deleted in any case.
            }
            throw error
        }
        try database.close()
    }

    /// How long a statement waits for another connection's lock, in milliseconds.
    static let busyMillisecondCount = 5_000

    /// Renames a finished new file to its final name.
    static func finish(_ file: DataFilePath, _ configuration: SQLiteJournal.Configuration) throws {
        try rename(file.unfinished, to: file.path, file, configuration)
    }

    /// Marks a new file as complete, and as the replacement of an existing one. From then on the only next step is
    /// ``replace(_:_:)``, however often the process ends.
    static func promise(_ file: DataFilePath, _ configuration: SQLiteJournal.Configuration) throws {
        try rename(file.unfinished, to: file.replacement, file, configuration)
    }

    /// Renames the replacement to the final name. The earlier file was moved aside before.
    static func replace(_ file: DataFilePath, _ configuration: SQLiteJournal.Configuration) throws {
        try rename(file.replacement, to: file.path, file, configuration)
    }

    /// Marks a copy without erased libraries as complete. From then on the only next step is ``replaceErased(_:_:)``.
    static func promiseErasure(_ file: DataFilePath, _ configuration: SQLiteJournal.Configuration) throws {
        try rename(file.unfinished, to: file.erasure, file, configuration)
    }

    /// Renames a copy without erased libraries to the final name. The earlier file was deleted before.
    static func replaceErased(_ file: DataFilePath, _ configuration: SQLiteJournal.Configuration) throws {
        try rename(file.erasure, to: file.path, file, configuration)
    }

    private static func rename(
        _ source: String, to target: String, _ file: DataFilePath, _ configuration: SQLiteJournal.Configuration
    ) throws {
        let failure = configuration.names.rename(source, to: target)
        guard failure == 0 else { throw DataFilePath.failure("cannot create \(target)", failure) }
        configuration.names.syncFolder(file.folder)
    }

    /// Opens a connection with the settings that every writing connection needs; the caller sets the journal mode.
    ///
    /// - Throws: `DatabaseError`.
    static func open(_ path: String) throws -> DatabaseQueue {
        try open(path, isReadOnly: false)
    }

    /// Opens a connection that cannot write.
    static func openForReading(_ path: String) throws -> DatabaseQueue {
        try open(path, isReadOnly: true)
    }

    private static func open(_ path: String, isReadOnly: Bool) throws -> DatabaseQueue {
        var configuration = GRDB.Configuration()
        configuration.readonly = isReadOnly
        configuration.label = "tidemark.journal"
        configuration.foreignKeysEnabled = false
        configuration.busyMode = .timeout(Double(busyMillisecondCount) / 1_000)
        configuration.prepareDatabase { db in
            try SQLiteError.check(tidemark_sqlite_defend(db.sqliteConnection), connection: db.sqliteConnection)
            for pragma in ["trusted_schema = OFF", "cell_size_check = ON", "temp_store = MEMORY"] {
                try db.execute(sql: "PRAGMA \(pragma)")
            }
        }
        return try SealedFiles.opening(path) { try DatabaseQueue(path: path, configuration: configuration) }
    }

    /// Removes GRDB's authorizer, which records for GRDB's observers what each statement reads and writes.
    ///
    /// Connections of this module have no observers, and for statements that are prepared without GRDB the records are
    /// never cleared, so each statement takes longer than the one before. GRDB also uses the authorizer to notice
    /// schema changes, so remove it after a migration.
    static func removeAuthorizer(_ db: Database) {
        sqlite3_set_authorizer(db.sqliteConnection, nil, nil)
    }
}
