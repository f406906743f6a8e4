import Foundation
import GRDB
import Tidemark
import TidemarkStore

/// Opens a data file under its lock: creates, reopens, rebuilds or refuses it.
struct DataFileOpener {
    let file: DataFilePath
    let configuration: SQLiteJournal.Configuration
    /// True if, before the lock was taken, a file beside the data file showed that it is a Tidemark file.
    private let isKnown: Bool

    /// An opened file: its connection, the state read from it, and how it was opened.
    struct Opened {
        var database: JournalDatabase
        var state: RecoveredState
        var report: OpeningReport
    }

    init(_ file: DataFilePath, _ configuration: SQLiteJournal.Configuration, isKnown: Bool = true) {
        self.file = file
        self.configuration = configuration
        self.isKnown = isKnown
    }

    /// Returns the error for a file that is not Tidemark's, or for a foreign file whose name is needed; nil when the
    /// data file may be opened.
    static func refusal(of file: DataFilePath, _ header: FileHeader, isKnown: Bool) throws(StorageError)
        -> StorageError?
    {
        if let refusal = header.refusal(path: file.path, isKnown: isKnown) { return refusal }
        if let refusal = try FileTraces.stranger(inPlaceOf: file) { return refusal }
        if isKnown { return nil }
        return switch header {
        case .missing, .empty: FileTraces.stranger(beside: file)
        case .unmarked, .garbage, .foreign, .sealed, .newer, .compressed, .ours: nil
        }
    }

    /// Opens the file, or creates, upgrades or rebuilds it.
    ///
    /// - Throws: ``/Tidemark/StorageError``, but never `.damaged`.
    func open() throws(StorageError) -> Opened {
        if let refusal = configuration.compression.refusal(path: file.path) { throw refusal }
        let header = try FileHeader.read(file.path)
        if let refusal = try DataFileOpener.refusal(of: file, header, isKnown: isKnown) { throw refusal }
        if DataFilePath.byteCount(file.erasure) != nil { return try finishErasure(.reopened) }
        if DataFilePath.byteCount(file.replacement) != nil {
            return try replace(reason: "it was being created anew when the process ended")
        }
        switch header {
        case .missing, .empty:
            try removeStrayJournals()
            return try create()
        case .unmarked, .garbage:
            return try rebuild(reason: "not a SQLite database")
        case .ours, .foreign, .sealed, .newer, .compressed:
            return try reopen()
        }
    }

    /// Creates a new file with the layers that can still be read, moves the existing files aside, and renames the new
    /// file to the final name.
    func rebuild(reason: String) throws(StorageError) -> Opened {
        let layers = LayerSalvage.layers(of: file)
        do {
            // The new file is complete before the damaged one is moved: on a full disk the layers must stay in the file
            // that has the name.
            try DataFileConnection.make(file, contents: layers, configuration)
            try DataFileConnection.promise(file, configuration)
        } catch {
            throw creationFailure(error)
        }
        return try replace(reason: reason)
    }

    /// Moves the rest of a damaged file aside, and renames the replacement to the final name.
    ///
    /// If the process ends during this step, the next opening repeats it: between two renames there may be no file, or
    /// one without its log, and only the replacement has the layers.
    func replace(reason: String) throws(StorageError) -> Opened {
        do {
            var target: String?
            let parts = [file.path, file.writeAheadLog, file.rollbackJournal]
            if parts.contains(where: { DataFilePath.byteCount($0) != nil }) {
                target = try DamagedFile.moveAside(file, configuration)
            } else {
                unlink(file.sharedMemory)
            }
            try DataFileConnection.replace(file, configuration)
            let movedTo = target ?? DamagedFile.newest(file) ?? file.path
            return try attach(.rebuilt(movedTo: movedTo, reason: reason))
        } catch {
            throw creationFailure(error)
        }
    }

    private func create() throws(StorageError) -> Opened {
        do {
            try DataFileConnection.make(file, contents: FlushBatch(), configuration)
            try DataFileConnection.finish(file, configuration)
            return try attach(.created)
        } catch {
            throw creationFailure(error)
        }
    }

    func creationFailure(_ error: any Error) -> StorageError {
        let failure = SQLiteError.storageError(error, path: file.path)
        guard failure.code == .inputOutput else { return failure }
        return StorageError(
            .cannotCreate, "cannot create \(file.path)", cause: failure.cause,
            advice: "choose another place, or change the folder's permissions")
    }

    private func reopen() throws(StorageError) -> Opened {
        do {
            try rollBack()
            try DataFileSchema.check(file)
            return try attach(.reopened)
        } catch {
            let failure = SQLiteError.storageError(error, path: file.path)
            guard failure.code == .damaged else { throw failure }
            return try rebuild(reason: failure.cause)
        }
    }

    /// Rolls back a transaction that a process did not finish while the file had a rollback journal, for example during
    /// the switch to a write-ahead log. A read-only connection could not roll it back, nor read the file.
    func rollBack() throws {
        guard DataFilePath.byteCount(file.rollbackJournal) ?? 0 > 0 else { return }
        let queue = try DataFileConnection.open(file.path)
        try queue.writeWithoutTransaction { try $0.execute(sql: "SELECT 1 FROM sqlite_schema") }
        try queue.close()
    }

    /// Opens the file under its final name, and finishes an erasure that a process left unfinished.
    func attach(_ report: OpeningReport) throws -> Opened {
        let database = try JournalDatabase(file, configuration)
        do {
            let state = try database.recover()
            if database.memory.mustScrub, let opened = try finishErasure(in: database, report) { return opened }
            return Opened(database: database, state: state, report: report)
        } catch {
            do {
                try database.close()
            } catch {
                // The error of recovery is reported; a second error from closing adds nothing.
            }
            throw error
        }
    }

    /// Moves a log without a database aside, because SQLite would replay it into the new database.
    private func removeStrayJournals() throws(StorageError) {
        let journals = [file.writeAheadLog, file.rollbackJournal]
        guard journals.contains(where: { DataFilePath.byteCount($0) ?? 0 > 0 }) else { return }
        _ = try DamagedFile.moveAside(file, configuration)
    }
}
