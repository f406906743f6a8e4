import Dispatch
import Tidemark
import TidemarkModel
import TidemarkStore

/// A data file that another process writes, as the journal of a cache that only reads.
///
/// The follower takes no lock and changes no byte. The cache over it shows the state at its opening; ``version()``
/// tells when the file has a newer one. Whatever the cache would write is dropped.
package actor SQLiteFollower: Journal {
    /// The state of a file: it differs after every commit, and when the file was replaced.
    package struct Version: Hashable, Sendable {
        var commit: Int64
        var identity: String?
    }

    private let executor: JournalExecutor
    private let file: DataFilePath
    private var database: JournalDatabase?

    package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// Opens a data file for reading.
    ///
    /// - Throws: ``Tidemark/StorageError``: `.notFound`, `.notOurs`, `.newerFormat`, `.damaged`, `.locked`,
    ///   `.inputOutput`.
    package static func open(path: String) async throws(StorageError) -> SQLiteFollower {
        let executor = JournalExecutor(nil)
        let result = await withCheckedContinuation { continuation in
            executor.run {
                do throws(StorageError) {
                    continuation.resume(
                        returning: Result<SQLiteFollower, StorageError>.success(try SQLiteFollower(path, executor)))
                } catch {
                    continuation.resume(returning: .failure(error))
                }
            }
        }
        return try result.get()
    }

    private init(_ path: String, _ executor: JournalExecutor) throws(StorageError) {
        // The reader refuses what is not a data file, and files of other formats.
        _ = try SQLiteReader(path: path)
        file = DataFilePath(path)
        self.executor = executor
        do {
            database = try JournalDatabase(following: file, SQLiteJournal.Configuration(path: path))
        } catch {
            throw SQLiteFailure.storageError(error, path: path)
        }
    }

    private func read<Result>(_ body: (JournalDatabase) throws -> Result) throws(StorageError) -> Result {
        guard let database else { throw StorageError(.closed, "the file was closed", advice: "open it again") }
        do { return try body(database) } catch { throw SQLiteFailure.storageError(error, path: file.path) }
    }

    /// Returns the state that the file has now.
    package func version() throws(StorageError) -> Version {
        Version(commit: try read { try $0.dataVersion() }, identity: FileIdentity(path: file.path)?.text)
    }

    // MARK: Reading

    package func recover() throws(StorageError) -> RecoveredState { try read { try $0.recover() } }

    package func load(_ keys: [StoredKey]) throws(StorageError) -> LoadedEntities { try read { try $0.load(keys) } }

    package func find(_ keys: [StoredKey]) throws(StorageError) -> [StoredRow] { try read { try $0.find(keys) } }

    package func page(
        library: LibraryIndex, type: TypeIndex, after id: StoredID?, countMax: Int, constraint: FieldConstraint?
    ) throws(StorageError) -> LoadedEntities {
        try read {
            try $0.page(library: library, type: type, after: id, countMax: countMax, constraint: constraint)
        }
    }

    package func rows(after key: StoredKey?, countMax: Int) throws(StorageError) -> [StoredRowAge] {
        try read { try $0.rows(after: key, countMax: countMax) }
    }

    package func quarantine(_ selection: QuarantineSelection) throws(StorageError) -> [QuarantineRecord] {
        try read { try $0.quarantine(selection) }
    }

    package func entityCounts() throws(StorageError) -> [JournalEntityCount] { try read { try $0.entityCounts() } }

    package nonisolated func examine() async -> [JournalFinding] {
        await withCheckedContinuation { continuation in
            DispatchQueue.global(qos: .utility).async { [path = file.path] in
                continuation.resume(returning: Examination.of(path).findings.map { JournalFinding($0) })
            }
        }
    }

    package func size() throws(StorageError) -> JournalSize {
        try read { JournalSize(fileByteCount: file.storedByteCount, usedByteCount: try $0.usedByteCount()) }
    }

    package func byteCount() -> Int64 { file.byteCount }

    /// Returns the free space; a reader writes no log.
    package func diskUse() async -> JournalUse {
        do { return try read { $0.diskUse() } } catch { return JournalUse() }
    }

    // MARK: What a reader does not do

    package func changeIndexes(
        _ changes: FieldIndexChanges, progress: (@Sendable (FieldIndexProgress) -> Void)?
    ) throws(StorageError) {}

    package func shrink() throws(StorageError) {}

    package func commit(_ flush: FlushBatch) throws(StorageError) {}

    package func rebuild() throws(StorageError) { throw damaged("it was found damaged") }

    package func restart(reason: String) throws(StorageError) -> RecoveredState { throw damaged(reason) }

    private func damaged(_ reason: String) -> StorageError {
        StorageError(.damaged, "\(file.path) is damaged: \(reason)", advice: "open it for writing: it is created anew")
    }

    package func close() throws(StorageError) {
        let database = database
        self.database = nil
        do { try database?.closeReading() } catch { throw SQLiteFailure.storageError(error, path: file.path) }
    }
}
