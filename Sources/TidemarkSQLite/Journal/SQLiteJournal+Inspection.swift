import Foundation
import Tidemark
import TidemarkModel

/// Reads for people who look at the database.
extension SQLiteJournal {
    public func quarantine(_ selection: QuarantineSelection) throws(StorageError) -> [QuarantineRecord] {
        let database = try openDatabase()
        do { return try database.quarantine(selection) } catch {
            throw SQLiteFailure.storageError(error, path: file.path)
        }
    }

    public func entityCounts() throws(StorageError) -> [JournalEntityCount] {
        let database = try openDatabase()
        do { return try database.entityCounts() } catch { throw SQLiteFailure.storageError(error, path: file.path) }
    }

    /// Examines the file beside the journal's own work, on a queue of its own.
    public nonisolated func examine() async -> [JournalFinding] {
        await withCheckedContinuation { continuation in
            DispatchQueue.global(qos: .utility).async { [path = file.path] in
                continuation.resume(returning: Examination.of(path).findings.map { JournalFinding($0) })
            }
        }
    }
}
