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
            try JournalDatabase.create(file)
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
            // Another program's file is looked at without its journals, so that nothing appears beside it;
            // only when a log is there does the look take part in it, still read-only.
            let hasLog = DataFilePath.byteCount(file.writeAheadLog) ?? 0 > 0
            let connection = try ReadConnection(path: file.path, isImmutable: !hasLog)
            let verdict = try withExtendedLifetime(connection) { try DataFileSchema.inspect(connection.handle) }
            switch verdict {
            case .ours: break
            case .foreign(let what):
                throw StorageError(
                    .notOurs, "\(file.path) holds the \(what), which tidemark did not make; it was left as it is",
                    advice: "give another file name")
            case .damaged(let reason):
                throw SQLiteFailure.damaged(reason)
            }
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
