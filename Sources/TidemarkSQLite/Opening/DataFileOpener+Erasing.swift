import Foundation
import Tidemark

/// Replaces a file from which a library was erased. The old file is not moved aside: its key is overwritten if it has
/// one, and it is deleted.
extension DataFileOpener {
    /// Writes the copy that replaces the file, and marks it as complete. From then on the only next step is
    /// ``finishErasure(_:)``, however often the process ends.
    ///
    /// - Throws: Errors of SQLite, ``/Tidemark/StorageError``. The file is unchanged then.
    func promiseErasure(of database: JournalDatabase) throws {
        do {
            try database.copyWithoutErased()
            try DataFileConnection.promiseErasure(file, configuration)
        } catch {
            for suffix in ["", "-journal", "-wal", "-shm"] { unlink(file.unfinished + suffix) }
            throw error
        }
    }

    /// Deletes the old file and its log, and renames the copy to the final name. The database must be closed.
    func finishErasure(_ report: OpeningReport) throws(StorageError) -> Opened {
        do {
            if configuration.encryption != nil { DataFileOpener.overwriteKey(file.path) }
            for path in [file.writeAheadLog, file.rollbackJournal, file.sharedMemory, file.path] { unlink(path) }
            try DataFileConnection.replaceErased(file, configuration)
            return try attach(report)
        } catch {
            throw creationFailure(error)
        }
    }

    /// Finishes an erasure that a process left unfinished.
    func finishErasure(in database: JournalDatabase, _ report: OpeningReport) throws -> Opened? {
        do {
            try promiseErasure(of: database)
        } catch {
            // The rows are gone; the next opening, or the next erasure, overwrites what is left of them.
            guard SQLiteError.storageError(error, path: file.path).code == .diskFull else { throw error }
            return nil
        }
        do {
            try database.close()
        } catch {
            // The copy has everything.
        }
        return try finishErasure(report)
    }

    /// Overwrites both copies of the wrapped key, so that the pages that the disk may keep cannot be opened.
    private static func overwriteKey(_ path: String) {
        let descriptor = Foundation.open(path, O_WRONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        let zeros = [UInt8](repeating: 0, count: SealedHeader.byteCount)
        // The file is deleted in any case.
        _ = pwrite(descriptor, zeros, zeros.count, 0)
        _ = fsync(descriptor)
        close(descriptor)
    }
}
