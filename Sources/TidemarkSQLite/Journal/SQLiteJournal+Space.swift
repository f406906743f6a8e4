import Tidemark
import TidemarkStore

/// The bytes of the file on the disk and in memory, and copies of it.
extension SQLiteJournal {
    /// Returns the bytes of the file with its log, and the bytes of them that are in use.
    ///
    /// - Throws: ``/Tidemark/StorageError``.
    public func size() throws(StorageError) -> JournalSize {
        let fileByteCount = file.storedByteCount
        return try perform { JournalSize(fileByteCount: fileByteCount, usedByteCount: try $0.usedByteCount()) }
    }

    /// Returns free space to the disk, as far as that is quick.
    ///
    /// - Throws: ``/Tidemark/StorageError``.
    public func shrink() throws(StorageError) {
        try perform { try $0.shrink() }
    }

    /// Returns a part of the free space to the disk in one short step. Begins when more than half of the file is free,
    /// and continues until an eighth is.
    ///
    /// - Parameter isLast: True if no commit waits, so that the step may take longer.
    /// - Returns: True if there is more free space to return.
    /// - Throws: ``/Tidemark/StorageError``.
    public func releaseFreeSpace(isLast: Bool) throws(StorageError) -> Bool {
        try perform { try $0.releaseFreeSpace(isLast: isLast) }
    }

    /// Frees memory that is not needed until the next commit.
    public func releaseMemory() {
        database?.releaseMemory()
    }

    /// Copies the committed contents into a new file, without free pages and without a log.
    ///
    /// - Parameters:
    ///   - path: The path of the copy, created with mode 0600. An existing file is replaced.
    ///   - byteCountMax: The most bytes in use at which the database is copied.
    /// - Returns: True if the copy was made; false if the database is larger.
    /// - Throws: ``/Tidemark/StorageError``.
    package func copy(to path: String, byteCountMax: Int64) throws(StorageError) -> Bool {
        let database = try openDatabase()
        do {
            guard try database.usedByteCount() <= byteCountMax else { return false }
            try database.copy(to: path)
            return true
        } catch {
            throw SQLiteError.storageError(error, path: path)
        }
    }

    /// Returns how the journal uses its disk; empty after closing.
    public func diskUse() async -> JournalUse { database?.diskUse() ?? JournalUse() }

    /// Returns the bytes of the file, its log and its other journals on the disk.
    public func byteCount() -> Int64 {
        file.byteCount
    }

    /// Limits the size of the file, for tests of a full disk.
    func limitPages(_ count: Int) throws(StorageError) {
        try perform { try $0.limitPages(count) }
    }

    /// Returns `PRAGMA synchronous` and `PRAGMA fullfsync` of the connection that writes, for tests.
    func syncSettings() throws(StorageError) -> (synchronous: Int?, fullfsync: Int?) {
        try perform { try $0.syncSettings() }
    }
}
