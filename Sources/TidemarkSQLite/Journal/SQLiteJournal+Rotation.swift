import CSQLiteShim
import GRDB
import Tidemark

extension SQLiteJournal {
    /// Seals the key of an encrypted data file under another key of the program. The pages stay as they are.
    ///
    /// ```swift
    /// let old = try FileEncryption(key: [UInt8](repeating: 7, count: 32))
    /// let new = try FileEncryption(key: [UInt8](repeating: 8, count: 32))
    /// try await SQLiteJournal.rotateKey(path: "cache.db", from: old, to: new)
    /// ```
    ///
    /// If the process ends in between, the file opens with one of the two keys.
    ///
    /// - Parameters:
    ///   - path: The path of an existing encrypted file that no process has open for writing.
    ///   - old: The present key.
    ///   - new: The key with which the file opens afterwards. What was sealed under the old key is overwritten.
    /// - Throws: ``/Tidemark/StorageError``: `.notFound`, `.wrongKey`, `.notEncrypted`, `.locked`, `.damaged`, and
    ///   those of ``open(_:)``. The key is unchanged then, unless the disk failed.
    public static func rotateKey(
        path: String, from old: any DataFileEncryption, to new: any DataFileEncryption
    ) async throws(StorageError) {
        // A rotation must not create a missing file, or replace a damaged one.
        _ = try SQLiteReader(path: path, encryption: old)
        var configuration = Configuration(path: path)
        configuration.encryption = old
        let journal = try await open(configuration)
        do throws(StorageError) {
            try await journal.rotateKey(to: new)
        } catch {
            do throws(StorageError) {
                try await journal.close()
            } catch {
                // The first error is reported.
            }
            throw error
        }
        try await journal.close()
    }

    private func rotateKey(to new: any DataFileEncryption) throws(StorageError) {
        try perform { try $0.rotateKey(to: new) }
    }
}

/// The wrapped key in the first bytes of an encrypted file.
extension JournalDatabase {
    /// Seals the key of the pages under another key of the program, and writes both copies of the header.
    func rotateKey(to new: any DataFileEncryption) throws {
        try queue.writeWithoutTransaction { db in
            guard let old = configuration.encryption, let header = try JournalDatabase.sealedHeader(db).header,
                let key = header.pageKey(old),
                let next = SealedHeader(
                    identity: header.identity, key: key, generation: header.generation + 1, new)
            else { throw SQLiteError.damaged("its key cannot be read") }
            try JournalDatabase.write(next, db)
        }
    }

    /// Writes both copies of the header if one is damaged, or is what a rotation left that did not finish.
    static func mendSealedHeader(_ db: Database) throws {
        let (header, needsMending) = try sealedHeader(db)
        if needsMending, let header { try write(header, db) }
    }

    private static func sealedHeader(_ db: Database) throws -> (header: SealedHeader?, needsMending: Bool) {
        guard let connection = db.sqliteConnection else { return (nil, false) }
        var bytes = [UInt8](repeating: 0, count: SealedHeader.byteCount)
        try SQLiteError.check(tidemark_sqlite_read_seal_header(connection, &bytes), connection: nil)
        return (SealedHeader.newest(in: bytes), SealedHeader.needsMending(bytes))
    }

    private static func write(_ header: SealedHeader, _ db: Database) throws {
        guard let connection = db.sqliteConnection else { return }
        try SQLiteError.check(tidemark_sqlite_write_seal_header(connection, header.bytes), connection: nil)
    }
}
