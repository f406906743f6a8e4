import Dispatch
import Tidemark
import TidemarkModel
import TidemarkStore

/// The journal of a read-only cache over a data file that another process writes.
///
/// The follower takes no lock and changes no byte. The cache shows the state at its opening; a new ``version()`` shows
/// that the file has changed. Everything that the cache would write is dropped.
package actor SQLiteFollower: Journal {
    /// Identifies a state of the file. It differs after every commit, and after the file was replaced.
    package struct Version: Hashable, Sendable {
        var commit: Int64
        var identity: String?
    }

    private let executor: JournalExecutor
    private let file: DataFilePath
    private let encryption: (any DataFileEncryption)?
    /// Keeps the key of an encrypted file; nil for others.
    private let sealed: SealedFiles.Use?
    private var database: JournalDatabase?

    /// The executor on which the follower's calls run, one after another.
    package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// Opens a data file for reading.
    ///
    /// - Throws: ``/Tidemark/StorageError``: `.notFound`, `.notOurs`, `.newerFormat`, `.damaged`, `.locked`,
    ///   `.inputOutput`.
    package static func open(
        path: String, encryption: (any DataFileEncryption)? = nil
    ) async throws(StorageError) -> SQLiteFollower {
        let executor = JournalExecutor(nil)
        let result = await withCheckedContinuation { continuation in
            executor.run {
                do throws(StorageError) {
                    continuation.resume(
                        returning: Result<SQLiteFollower, StorageError>.success(
                            try SQLiteFollower(path, encryption, executor)))
                } catch {
                    continuation.resume(returning: .failure(error))
                }
            }
        }
        return try result.get()
    }

    private init(
        _ path: String, _ encryption: (any DataFileEncryption)?, _ executor: JournalExecutor
    ) throws(StorageError) {
        // The reader refuses anything that is not a data file, and newer formats.
        _ = try SQLiteReader(path: path, encryption: encryption)
        file = DataFilePath(path)
        sealed = try SealedFiles.use(file, encryption)
        self.encryption = encryption
        self.executor = executor
        do {
            database = try JournalDatabase(following: file, SQLiteJournal.Configuration(path: path))
        } catch {
            throw SQLiteError.storageError(error, path: path)
        }
    }

    private func read<Result>(_ body: (JournalDatabase) throws -> Result) throws(StorageError) -> Result {
        guard let database else { throw StorageError(.closed, "the file was closed", advice: "open it again") }
        do { return try body(database) } catch { throw SQLiteError.storageError(error, path: file.path) }
    }

    /// Returns the current state of the file, to be compared with an earlier one.
    ///
    /// - Throws: ``/Tidemark/StorageError``.
    package func version() throws(StorageError) -> Version {
        Version(commit: try read { try $0.dataVersion() }, identity: FileIdentity(path: file.path)?.text)
    }

    // MARK: Reading

    /// Reads the state without entities.
    package func recover() throws(StorageError) -> RecoveredState { try read { try $0.recover() } }

    /// Reads entities by key, in no order. Damaged rows are listed separately.
    package func load(_ keys: [StoredKey]) throws(StorageError) -> LoadedEntities { try read { try $0.load(keys) } }

    /// Finds the rows of entities without reading their bodies.
    package func find(_ keys: [StoredKey]) throws(StorageError) -> [StoredRow] { try read { try $0.find(keys) } }

    /// Reads entities of one type in the order of their ids' text.
    package func page(
        library: LibraryIndex, type: TypeIndex, after id: StoredID?, countMax: Int, constraint: FieldConstraint?
    ) throws(StorageError) -> LoadedEntities {
        try read {
            try $0.page(library: library, type: type, after: id, countMax: countMax, constraint: constraint)
        }
    }

    /// Returns the ages of rows in a fixed order.
    package func rows(after key: StoredKey?, countMax: Int) throws(StorageError) -> [StoredRowAge] {
        try read { try $0.rows(after: key, countMax: countMax) }
    }

    /// Returns records of the quarantine, oldest first.
    package func quarantine(_ selection: QuarantineSelection) throws(StorageError) -> [QuarantineRecord] {
        try read { try $0.quarantine(selection) }
    }

    /// Counts the stored entities of each library and type.
    package func entityCounts() throws(StorageError) -> [JournalEntityCount] { try read { try $0.entityCounts() } }

    /// Examines the file and its surroundings.
    package nonisolated func examine() async -> [JournalFinding] {
        await withCheckedContinuation { continuation in
            DispatchQueue.global(qos: .utility).async { [path = file.path, encryption] in
                let examination = Examination.of(path, encryption: encryption)
                continuation.resume(returning: examination.findings.map { JournalFinding($0) })
            }
        }
    }

    /// Returns the bytes of the file with its log, and the bytes of them that are in use.
    package func size() throws(StorageError) -> JournalSize {
        try read { JournalSize(fileByteCount: file.storedByteCount, usedByteCount: try $0.usedByteCount()) }
    }

    /// Returns the bytes of the file, its log and its other journals on the disk.
    package func byteCount() -> Int64 { file.byteCount }

    /// Returns the free space; a reader writes no log. Empty when the file cannot be read.
    package func diskUse() async -> JournalUse {
        do { return try read { $0.diskUse() } } catch { return JournalUse() }
    }

    // MARK: What a reader does not do

    /// Does nothing: a follower writes no indexes.
    package func changeIndexes(
        _ changes: FieldIndexChanges, progress: (@Sendable (FieldIndexProgress) -> Void)?
    ) throws(StorageError) {}

    /// Does nothing: a follower returns no space.
    package func shrink() throws(StorageError) {}

    /// Drops the flush: a follower writes nothing.
    package func commit(_ flush: FlushBatch) throws(StorageError) {}

    /// Throws: a follower cannot replace the file.
    ///
    /// - Throws: ``/Tidemark/StorageError`` `.damaged`, always.
    package func rebuild() throws(StorageError) { throw damaged("it was found damaged") }

    /// Throws: a follower cannot replace the file.
    ///
    /// - Throws: ``/Tidemark/StorageError`` `.damaged`, always.
    package func restart(reason: String) throws(StorageError) -> RecoveredState { throw damaged(reason) }

    private func damaged(_ reason: String) -> StorageError {
        StorageError(.damaged, "\(file.path) is damaged: \(reason)", advice: "open it for writing: it is created anew")
    }

    /// Closes the connection. Further calls throw `.closed`; closing again does nothing.
    ///
    /// - Throws: ``/Tidemark/StorageError``.
    package func close() throws(StorageError) {
        let database = database
        self.database = nil
        do { try database?.closeReading() } catch { throw SQLiteError.storageError(error, path: file.path) }
    }
}
