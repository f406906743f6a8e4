import Foundation
import GRDB
import Tidemark
import TidemarkStore

/// Row ages for disk eviction, copies of the file, and release of memory.
extension JournalDatabase {
    func rows(after key: StoredKey?, countMax: Int) throws -> [StoredRowAge] {
        try readingKeys { try reading { try $0.entities.reads.ages(after: key, countMax: countMax) } }
    }

    /// Copies the database without free pages.
    ///
    /// - Parameter path: The path of the copy. An existing file is overwritten.
    func copy(to path: String) throws {
        unlink(path)
        // The file is created here with mode 0600; SQLite would create it with the mode of the process.
        let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw DataFilePath.failure("cannot create \(path)", errno) }
        Foundation.close(descriptor)
        // The copy of an encrypted file is encrypted under the same key.
        let sealed = configuration.encryption.map { encryption in
            SealedFiles.Use(SealedOwner(DataFilePath(path).path, encryption))
        }
        defer { withExtendedLifetime(sealed) {} }
        try queue.writeWithoutTransaction { db in try db.execute(sql: "VACUUM INTO ?", arguments: [path]) }
    }

    /// Frees the pages that SQLite keeps in memory. The next commit reads the pages that it needs again, mostly from
    /// the system's cache.
    func releaseMemory() {
        queue.releaseMemory()
    }
}
