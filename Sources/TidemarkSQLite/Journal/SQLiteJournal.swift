import Foundation
import Synchronization
import Tidemark
import TidemarkHTTPRecords
import TidemarkModel
import TidemarkStore

/// A journal that stores a cache in one SQLite file.
///
/// A file has one writer: opening takes a lock that the system releases when the process ends. Calls run one after
/// another on a queue of the journal's own. A call that has begun runs to its end, even when its task is cancelled.
///
/// ```swift
/// var configuration = SQLiteJournal.Configuration(path: "cache.db")
/// configuration.onDamagedRow = { print("left out: \($0)") }
/// let journal = try await SQLiteJournal.open(configuration)
/// if case .rebuilt(let path, let reason) = await journal.openingReport { print(path, reason) }
/// let stored = try await SyncCache.open(journal: journal)
/// try await stored.close()
/// ```
///
/// - Source: docs/data-file.md.
public actor SQLiteJournal: Journal, HTTPJournal, AttachedStorage, ImmediateReads {
    /// How the file was opened: created, reopened, or replaced after damage. ``rebuild(reason:)`` updates it.
    public private(set) var openingReport: OpeningReport

    /// How many pending edits were recovered from a damaged file; 0 unless ``openingReport`` is `rebuilt`.
    public private(set) var salvagedLayerCount: Int

    /// How many rows have failed their check since opening. Each counts as absent.
    public var damagedRowCount: Int { damagedRows.count }

    private let executor: JournalExecutor
    let configuration: Configuration
    let file: DataFilePath
    /// The lock on the name of the file; nil while the journal is suspended, and after closing.
    var lock: WriterLock?
    /// The lock on the file that has the name now; nil when no folder for such locks is usable.
    var identityLock: IdentityLock?
    /// The entry in ``FilesInUse``; it exists as long as `database`.
    var use: FilesInUse.Use?
    /// How the file was left; nil while the journal is not suspended.
    var pause: SuspendedFile?
    /// Keeps the key of an encrypted file; nil for others.
    private let sealed: SealedFiles.Use?
    private let damagedRows: DamagedRowCounter
    /// The open database; nil while the journal is suspended, and after closing or a failed rebuild.
    var database: JournalDatabase?
    private var recovered: RecoveredState
    /// The bound of stored HTTP responses, also for a database that replaces a damaged one.
    var httpLimits = HTTPLimits()
    /// The state of stored HTTP responses that callers share with this journal.
    package nonisolated let sharedHTTP: HTTPLedger

    /// The state of stored HTTP responses that callers share with this journal; never nil.
    package nonisolated var httpLedger: HTTPLedger? { sharedHTTP }

    /// The value of ``memoryByteCount``, updated after each flush.
    private let memoryUse = Atomic<Int>(0)

    /// The bytes in memory that the journal needs to find entities, as of the last flush.
    public nonisolated var memoryByteCount: Int { memoryUse.load(ordering: .relaxed) }

    /// The executor on which the journal's calls run, one after another.
    public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    // MARK: Opening

    /// Opens a data file for writing.
    ///
    /// A missing or empty file is created (mode 0600, its folders 0700). A damaged file is moved aside and replaced by
    /// a new one, as ``openingReport`` then shows; pending edits that can still be read are copied into the new file. A
    /// file of another program or of a newer format is not changed.
    ///
    /// - Throws: ``/Tidemark/StorageError``: `.locked`, `.notOurs`, `.newerFormat`, `.codecMissing`, `.keyNeeded`,
    ///   `.wrongKey`, `.notEncrypted`, `.cannotCreate`, `.diskFull`, `.inputOutput`.
    /// - Complexity: Independent of the number of entities.
    public static func open(_ configuration: Configuration) async throws(StorageError) -> SQLiteJournal {
        let executor = JournalExecutor(configuration.enqueue)
        let result = await withCheckedContinuation { continuation in
            executor.run {
                do throws(StorageError) {
                    continuation.resume(
                        returning: Result<SQLiteJournal, StorageError>.success(
                            try SQLiteJournal(configuration, executor)))
                } catch {
                    continuation.resume(returning: .failure(error))
                }
            }
        }
        return try result.get()
    }

    /// Opens a data file with default options, as ``open(_:)`` does.
    ///
    /// - Parameter path: A path that is absolute, or relative to the working directory.
    /// - Throws: ``/Tidemark/StorageError``: `.locked`, `.notOurs`, `.newerFormat`, `.codecMissing`, `.cannotCreate`,
    ///   `.diskFull`, `.inputOutput`.
    public static func open(path: String) async throws(StorageError) -> SQLiteJournal {
        try await open(Configuration(path: path))
    }

    private init(_ configuration: Configuration, _ executor: JournalExecutor) throws(StorageError) {
        let counter = DamagedRowCounter(configuration.onDamagedRow)
        var configuration = configuration
        configuration.onDamagedRow = { counter.add($0) }
        configuration.concurrentReads = ConcurrentReads()
        let file = DataFilePath(configuration.path)
        let sealed = try SealedFiles.use(file, configuration.encryption)
        let header = try FileHeader.read(file.path)
        let isKnown = FileTraces.areBeside(file)
        if let refusal = try DataFileOpener.refusal(of: file, header, isKnown: isKnown) { throw refusal }
        try file.makeFolders()
        let lock = try WriterLock(file)
        do throws(StorageError) {
            var identityLock = try IdentityLock.acquire(file, in: configuration.lockFolder)
            let opened = try DataFileOpener(file, configuration, isKnown: isKnown).open()
            if identityLock?.identity != FileIdentity(path: file.path) {
                identityLock = try IdentityLock.acquire(file, in: configuration.lockFolder)
            }
            self.identityLock = identityLock
            use = FilesInUse.Use(file.path)
            self.executor = executor
            self.configuration = configuration
            self.file = file
            self.lock = lock
            self.sealed = sealed
            damagedRows = counter
            database = opened.database
            sharedHTTP = opened.database.httpLedger
            recovered = opened.state
            openingReport = opened.report
            memoryUse.store(opened.database.memoryByteCount, ordering: .relaxed)
            if case .rebuilt = opened.report {
                salvagedLayerCount = opened.state.layers.count
            } else {
                salvagedLayerCount = 0
            }
        } catch {
            lock.release()
            throw error
        }
    }

    /// Moves a damaged file aside, and begins an empty one under the same lock.
    ///
    /// Call it when `commit` or `load` throws `.damaged`. Afterwards nothing is stored: `recover()` returns an empty
    /// state, and the next flush must contain everything that is in memory, with the names of libraries and types,
    /// every row as `insert`, the tombstones and the layers.
    ///
    /// - Parameter reason: The reason for ``openingReport``.
    /// - Returns: The new ``openingReport``, with the path of the damaged file.
    /// - Throws: ``/Tidemark/StorageError``. No file is open then, and the method may be called again.
    public func rebuild(reason: String) throws(StorageError) -> OpeningReport {
        let opened = try reopen(reason: reason)
        // The recovered layers matter only if the process ends before the next flush, which writes all layers.
        opened.database.discardsContents = true
        recovered = RecoveredState()
        return opened.report
    }

    /// Replaces the file by a new one.
    ///
    /// - Returns: The new file, open, with the indexes of the old one and the layers that could be read.
    private func reopen(reason: String) throws(StorageError) -> DataFileOpener.Opened {
        var indexes = FieldIndexChanges()
        if let database {
            indexes.added = database.keptIndexes
            self.database = nil
            do {
                try database.close()
            } catch {
                // Closing a damaged file may fail. That does not matter: it is moved aside with its journals.
            }
            use = nil
        }
        let opened = try adopt { () throws(StorageError) in
            try DataFileOpener(file, configuration).rebuild(reason: reason)
        }
        openingReport = opened.report
        try changeIndexes(indexes, progress: nil)
        return opened
    }

    /// Opens the file that replaces the one that was open.
    private func adopt(
        _ open: () throws(StorageError) -> DataFileOpener.Opened
    ) throws(StorageError) -> DataFileOpener.Opened {
        let opened = try open()
        identityLock = try IdentityLock.acquire(file, in: configuration.lockFolder)
        use = FilesInUse.Use(file.path)
        opened.database.httpLimits = httpLimits
        opened.database.share(sharedHTTP)
        database = opened.database
        return opened
    }

    /// Closes the open file, and opens the one that replaces it with the same content.
    func replaceDatabase(
        _ old: JournalDatabase, _ open: () throws(StorageError) -> DataFileOpener.Opened
    ) throws(StorageError) -> JournalDatabase {
        database = nil
        do {
            try old.close()
        } catch {
            // The replacement has everything that was committed.
        }
        use = nil
        // The number of the deleted file may be given to any other at once; the lock on the name is held all the time.
        identityLock?.release()
        identityLock = nil
        let opened = try adopt(open)
        recovered = RecoveredState()
        noteMemory()
        return opened.database
    }

    // MARK: Journal

    /// Returns the state that was read at opening; an empty one after the first commit.
    ///
    /// - Throws: ``/Tidemark/StorageError`` `.closed`.
    public func recover() throws(StorageError) -> RecoveredState {
        _ = try openDatabase()
        return recovered
    }

    /// Waits until the index of a file of blocks is read. Other calls are served meanwhile.
    ///
    /// - Returns: What was lost, if the index could not be read as stored; nil when nothing was, and at later calls.
    /// - Throws: ``/Tidemark/StorageError``; `.closed` when the task is cancelled.
    public nonisolated func finishOpening() async throws(StorageError) -> OpeningLoss? {
        if let opening = await opening {
            await withTaskCancellationHandler {
                await opening.waitForEnd()
            } onCancel: {
                opening.cancel()
            }
        }
        guard !Task.isCancelled else {
            throw StorageError(.closed, "the opening of \(file.path) was cancelled", advice: "ask again")
        }
        return try await takeLoss()
    }

    private var opening: BackgroundOpening? { database?.opening }

    func takeLoss() throws(StorageError) -> OpeningLoss? {
        defer { noteMemory() }
        return try perform { database in
            try database.finishOpening()
            defer { database.loss = nil }
            return database.loss
        }
    }

    /// Writes a flush in one transaction, and returns after it is on the disk.
    ///
    /// - Throws: ``/Tidemark/StorageError``. Nothing of the flush was written then, and it may be passed again.
    public func commit(_ flush: FlushBatch) throws(StorageError) {
        _ = try openDatabase()
        // The recovered state is no longer needed: a copy of 100,000 tombstones must not live as long as the journal.
        recovered = RecoveredState()
        try perform { try $0.commit(flush) }
        noteMemory()
    }

    func noteMemory() { memoryUse.store(database?.memoryByteCount ?? 0, ordering: .relaxed) }

    /// Moves the damaged file aside, and begins an empty one under the same lock.
    ///
    /// - Throws: ``/Tidemark/StorageError``. No file is open then, and the method may be called again.
    public func rebuild() throws(StorageError) {
        _ = try rebuild(reason: "damage found while it was in use")
    }

    /// Moves a file aside that was found damaged before any of it was used, and begins one with the layers that can be
    /// read.
    ///
    /// - Parameter reason: The reason for ``openingReport``.
    /// - Returns: The state of the new file.
    /// - Throws: ``/Tidemark/StorageError``.
    public func restart(reason: String) throws(StorageError) -> RecoveredState {
        let opened = try reopen(reason: reason)
        salvagedLayerCount = opened.state.layers.count
        recovered = opened.state
        return recovered
    }

    /// The key of the file; nil if it is not encrypted.
    package nonisolated var encryption: (any DataFileEncryption)? { configuration.encryption }

    /// Copies the log back into the file, closes it and releases the lock. Further calls throw `.closed`.
    ///
    /// - Throws: ``/Tidemark/StorageError`` when the log could not be copied back. The file is closed even then, and
    ///   opening it again finds everything that was committed.
    public func close() throws(StorageError) {
        if pause != nil { return pause = nil }
        let database = try openDatabase()
        self.database = nil
        defer { releaseLocks() }
        do { try database.close() } catch { throw SQLiteError.storageError(error, path: file.path) }
    }

    /// Calls a function with the open database, and names the file in what it throws.
    func perform<Result>(_ body: (JournalDatabase) throws -> Result) throws(StorageError) -> Result {
        let database = try openDatabase()
        do { return try body(database) } catch { throw SQLiteError.storageError(error, path: file.path) }
    }

    func openDatabase() throws(StorageError) -> JournalDatabase {
        guard let database else {
            if pause != nil {
                throw StorageError(
                    .suspended, "\(file.path) is closed during a pause", advice: "resume the cache first")
            }
            throw StorageError(.closed, "\(file.path) was closed", advice: "open it again")
        }
        return database
    }

    /// Releases the locks on the file, whose connection is closed.
    func releaseLocks() {
        use = nil
        identityLock?.release()
        identityLock = nil
        lock?.release()
        lock = nil
    }
}
