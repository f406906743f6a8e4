import Foundation
import GRDB
import Tidemark
import TidemarkStore

/// Opens a data file under its lock: makes, reopens, rebuilds or refuses it.
struct DataFileOpener {
    private let file: DataFilePath
    private let configuration: SQLiteJournal.Configuration
    /// Whether something beside the file said that it was ours before its lock was taken.
    private let isKnown: Bool

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

    /// The error for a file that is not ours, or for one that would have to go for ours to be made.
    static func refusal(of file: DataFilePath, _ header: FileHeader, isKnown: Bool) throws(StorageError)
        -> StorageError?
    {
        if let refusal = header.refusal(path: file.path, isKnown: isKnown) { return refusal }
        if let refusal = try FileTraces.stranger(inPlaceOf: file) { return refusal }
        if isKnown { return nil }
        return switch header {
        case .missing, .empty: FileTraces.stranger(beside: file)
        case .unmarked, .garbage, .foreign, .newer, .ours: nil
        }
    }

    /// - Throws: ``Tidemark/StorageError``; never `.damaged`.
    func open() throws(StorageError) -> Opened {
        let header = try FileHeader.read(file.path)
        if let refusal = try DataFileOpener.refusal(of: file, header, isKnown: isKnown) { throw refusal }
        if DataFilePath.byteCount(file.replacement) != nil {
            return try replace(reason: "it was being made anew when the process ended")
        }
        switch header {
        case .missing, .empty:
            try removeStrayJournals()
            return try create()
        case .unmarked, .garbage:
            return try rebuild(reason: "not a SQLite database")
        case .ours, .foreign, .newer:
            return try reopen()
        }
    }

    /// Makes a new file with the layers that can still be read, moves whatever is there aside, and puts the new one in its
    /// place.
    func rebuild(reason: String) throws(StorageError) -> Opened {
        let layers = LayerSalvage.layers(of: file)
        do {
            // Whole before the damaged one moves: a full disk must not part the user from the layers.
            try DataFileConnection.make(file, contents: layers, configuration)
            try DataFileConnection.promise(file, configuration)
        } catch {
            throw creationFailure(error)
        }
        return try replace(reason: reason)
    }

    /// Moves aside what is still there of a damaged file, and puts the one that is ready in its place. Done again when the
    /// process ended on the way: between two moves there may be no file, or one without its log, and the layers are in the new one alone.
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

    private func creationFailure(_ error: any Error) -> StorageError {
        let failure = SQLiteFailure.storageError(error, path: file.path)
        guard failure.code == .inputOutput else { return failure }
        return StorageError(
            .cannotCreate, "cannot make \(file.path)", cause: failure.cause,
            advice: "choose another place, or change the folder's permissions")
    }

    private func reopen() throws(StorageError) -> Opened {
        do {
            try rollBack()
            try DataFileSchema.check(file)
            return try attach(.reopened)
        } catch {
            let failure = SQLiteFailure.storageError(error, path: file.path)
            guard failure.code == .damaged else { throw failure }
            return try rebuild(reason: failure.cause)
        }
    }

    /// Undoes what a process did not finish before the file had a log, as when it was switched to one: who only looks at a file
    /// cannot do that, and could not look.
    func rollBack() throws {
        guard DataFilePath.byteCount(file.rollbackJournal) ?? 0 > 0 else { return }
        let queue = try DataFileConnection.open(file.path)
        try queue.writeWithoutTransaction { try $0.execute(sql: "SELECT 1 FROM sqlite_schema") }
        try queue.close()
    }

    private func attach(_ report: OpeningReport) throws -> Opened {
        let database = try JournalDatabase(file, configuration)
        do {
            return Opened(database: database, state: try database.recover(), report: report)
        } catch {
            do {
                try database.close()
            } catch {
                // What made recovery fail is reported; that closing failed as well adds nothing.
            }
            throw error
        }
    }

    /// A log without its database would be replayed into the new one.
    private func removeStrayJournals() throws(StorageError) {
        let journals = [file.writeAheadLog, file.rollbackJournal]
        guard journals.contains(where: { DataFilePath.byteCount($0) ?? 0 > 0 }) else { return }
        _ = try DamagedFile.moveAside(file, configuration)
    }
}
