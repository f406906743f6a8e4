import Foundation
import Tidemark
import TidemarkStore

/// Opens a data file under its lock: makes, reopens, rebuilds or refuses it.
struct DataFileOpener {
    private let file: DataFilePath
    private let configuration: SQLiteJournal.Configuration

    struct Opened {
        var database: JournalDatabase
        var state: RecoveredState
        var report: OpeningReport
    }

    init(_ file: DataFilePath, _ configuration: SQLiteJournal.Configuration) {
        self.file = file
        self.configuration = configuration
    }

    /// - Throws: ``Tidemark/StorageError``; never `.damaged`.
    func open() throws(StorageError) -> Opened {
        let header = try FileHeader.read(file.path)
        if let refusal = header.refusal(path: file.path) { throw refusal }
        switch header {
        case .missing, .empty:
            try removeStrayJournals()
            return try create(.created)
        case .garbage:
            return try rebuild(reason: "not a SQLite database")
        case .ours, .foreign, .newer:
            return try reopen()
        }
    }

    /// Moves whatever is there aside, and makes a new file.
    func rebuild(reason: String) throws(StorageError) -> Opened {
        let target = try DamagedFile.moveAside(file, now: configuration.now())
        return try create(.rebuilt(movedTo: target, reason: reason))
    }

    private func create(_ report: OpeningReport) throws(StorageError) -> Opened {
        do {
            try DataFileConnection.create(file)
            return try attach(report)
        } catch {
            let failure = SQLiteFailure.storageError(error, path: file.path)
            guard failure.code == .inputOutput else { throw failure }
            throw StorageError(
                .cannotCreate, "cannot make \(file.path)", cause: failure.cause,
                advice: "choose another place, or change the folder's permissions")
        }
    }

    private func reopen() throws(StorageError) -> Opened {
        do {
            try DataFileSchema.check(file)
            return try attach(.reopened)
        } catch {
            let failure = SQLiteFailure.storageError(error, path: file.path)
            guard failure.code == .damaged else { throw failure }
            return try rebuild(reason: failure.cause)
        }
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
        _ = try DamagedFile.moveAside(file, now: configuration.now())
    }
}
