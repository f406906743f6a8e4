import Foundation
import Tidemark
import TidemarkModel

/// Reads for inspecting a database.
extension SQLiteJournal {
    /// Returns records of the quarantine, oldest first, as last committed.
    ///
    /// - Throws: ``/Tidemark/StorageError``.
    public func quarantine(_ selection: QuarantineSelection) throws(StorageError) -> [QuarantineRecord] {
        try perform { try $0.quarantine(selection) }
    }

    /// Counts the stored entities of each library and type, in no order, as last committed.
    ///
    /// - Throws: ``/Tidemark/StorageError``.
    /// - Complexity: O(entities), of their keys alone.
    public func entityCounts() throws(StorageError) -> [JournalEntityCount] {
        try perform { try $0.entityCounts() }
    }

    /// Examines the file and its surroundings. Other calls do not wait for it.
    ///
    /// - Complexity: O(bytes of the file).
    public nonisolated func examine() async -> [JournalFinding] {
        await withCheckedContinuation { continuation in
            DispatchQueue.global(qos: .utility).async { [path = file.path, encryption] in
                let examination = Examination.of(path, encryption: encryption)
                continuation.resume(returning: examination.findings.map { JournalFinding($0) })
            }
        }
    }
}
