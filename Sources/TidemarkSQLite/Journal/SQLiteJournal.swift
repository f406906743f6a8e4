import Foundation
import Synchronization
import Tidemark
import TidemarkModel
import TidemarkStore

/// The journal of a cache in one SQLite file. Format: docs/data-file.md.
///
/// A file has one writer: opening takes a lock that the system releases when the process ends. Calls run one after
/// another on a queue of the journal's own. A call that has begun runs to its end, even when its task is cancelled.
///
/// - Source: docs/data-file.md.
public actor SQLiteJournal: Journal, HTTPJournal {
    /// The result of opening, or of the last ``rebuild(reason:)``.
    public private(set) var openingReport: OpeningReport

    /// The number of pending edits that opening recovered from a damaged file; 0 unless ``openingReport`` is `rebuilt`.
    public private(set) var salvagedLayerCount: Int

    /// The number of rows that failed their check since opening.
    public var damagedRowCount: Int { damagedRows.count }

    private let executor: JournalExecutor
    let configuration: Configuration
    let file: DataFilePath
    private let lock: WriterLock
    /// The lock on the file that has the name now; nil when no folder for such locks can be used.
    private var identityLock: IdentityLock?
    /// The entry in ``FilesInUse``; it exists as long as `database`.
    private var use: FilesInUse.Use?
    private let damagedRows: DamagedRowCounter
    /// The open database; nil after closing, or when a rebuild failed.
    private(set) var database: JournalDatabase?
    private var recovered: RecoveredState
    /// The bound of stored HTTP answers, for a database that takes the place of a damaged one too.
    var httpLimits = HTTPLimits()
    /// The state of stored HTTP answers that callers share with this journal.
    package nonisolated let sharedHTTP: HTTPLedger

    package nonisolated var httpLedger: HTTPLedger? { sharedHTTP }

    /// The bytes after the last flush.
    private let memoryUse = Atomic<Int>(0)

    public nonisolated var memoryByteCount: Int { memoryUse.load(ordering: .relaxed) }

    public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    // MARK: Opening

    /// Opens a data file for writing.
    ///
    /// A missing or empty file is created (0600, its folders 0700). A damaged file is moved aside and replaced by a new
    /// one, which ``openingReport`` reports; layers that can still be read are copied into the new file. A file of
    /// another program or of a newer format is not changed.
    ///
    /// - Throws: ``Tidemark/StorageError``: `.locked`, `.notOurs`, `.newerFormat`, `.cannotCreate`,
    ///   `.diskFull`, `.inputOutput`.
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

    /// Opens a data file with default options.
    public static func open(path: String) async throws(StorageError) -> SQLiteJournal {
        try await open(Configuration(path: path))
    }

    private init(_ configuration: Configuration, _ executor: JournalExecutor) throws(StorageError) {
        let counter = DamagedRowCounter(configuration.onDamagedRow)
        var configuration = configuration
        configuration.onDamagedRow = { counter.add($0) }
        // Work that runs in the caller's order has no thread of its own for reads either.
        if configuration.enqueue == nil { configuration.concurrentReads = ConcurrentReads() }
        let file = DataFilePath(configuration.path)
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

    /// Moves a file that proved to be damaged aside, and starts an empty one under the same lock.
    ///
    /// To be called when `commit` or `load` threw `.damaged`. Afterwards nothing is stored: `recover()` returns an
    /// empty state, and the next flush must bring everything that is in memory, with the names of libraries and types,
    /// every row as `insert`, the tombstones and the layers.
    ///
    /// - Returns: The new ``openingReport``, with the path of the damaged file.
    /// - Throws: ``Tidemark/StorageError``; then no file is open, and the function may be called again.
    public func rebuild(reason: String) throws(StorageError) -> OpeningReport {
        let opened = try reopen(reason: reason)
        // The recovered layers are only needed if the process ends before the next flush, which brings all layers.
        opened.database.discardsContents = true
        recovered = RecoveredState()
        return opened.report
    }

    /// - Returns: The new file, open, with the indexes of the old one and the layers that could be read.
    private func reopen(reason: String) throws(StorageError) -> DataFileOpener.Opened {
        var indexes = FieldIndexChanges()
        if let database {
            indexes.added = database.memory.indexes.filter { $0.state != .dropping }.compactMap(\.index)
            self.database = nil
            do {
                try database.close()
            } catch {
                // Closing a damaged file may fail, which does not matter: it is moved aside with its journals.
            }
            use = nil
        }
        let opened = try DataFileOpener(file, configuration).rebuild(reason: reason)
        identityLock = try IdentityLock.acquire(file, in: configuration.lockFolder)
        use = FilesInUse.Use(file.path)
        opened.database.httpLimits = httpLimits
        opened.database.share(sharedHTTP)
        database = opened.database
        openingReport = opened.report
        try changeIndexes(indexes, progress: nil)
        return opened
    }

    // MARK: Journal

    public func recover() throws(StorageError) -> RecoveredState {
        _ = try openDatabase()
        return recovered
    }

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

    private func takeLoss() throws(StorageError) -> OpeningLoss? {
        let database = try openDatabase()
        do { try database.finishOpening() } catch { throw SQLiteFailure.storageError(error, path: file.path) }
        noteMemory()
        defer { database.loss = nil }
        return database.loss
    }

    public func load(_ keys: [StoredKey]) throws(StorageError) -> LoadedEntities {
        let database = try openDatabase()
        do { return try database.load(keys) } catch { throw SQLiteFailure.storageError(error, path: file.path) }
    }

    @concurrent public nonisolated func read(_ key: StoredKey) async throws(StorageError) -> StoredEntity? {
        switch configuration.concurrentReads?.read(key) {
        case .found(let entity): entity
        case .absent: nil
        case .damaged, nil: try await load([key]).entities.first
        }
    }

    public func find(_ keys: [StoredKey]) throws(StorageError) -> [StoredRow] {
        let database = try openDatabase()
        do { return try database.find(keys) } catch { throw SQLiteFailure.storageError(error, path: file.path) }
    }

    public func page(
        library: LibraryIndex, type: TypeIndex, after id: StoredID?, countMax: Int, constraint: FieldConstraint?
    ) throws(StorageError) -> LoadedEntities {
        let database = try openDatabase()
        do {
            return try database.page(
                library: library, type: type, after: id, countMax: countMax, constraint: constraint)
        } catch {
            throw SQLiteFailure.storageError(error, path: file.path)
        }
    }

    public func changeIndexes(
        _ changes: FieldIndexChanges, progress: (@Sendable (FieldIndexProgress) -> Void)?
    ) throws(StorageError) {
        let database = try openDatabase()
        do {
            try database.changeIndexes(changes, progress: progress)
        } catch {
            throw SQLiteFailure.storageError(error, path: file.path)
        }
    }

    public func commit(_ flush: FlushBatch) throws(StorageError) {
        let database = try openDatabase()
        // The recovered state is no longer needed: a copy of 100,000 tombstones must not live as long as the journal.
        recovered = RecoveredState()
        do { try database.commit(flush) } catch { throw SQLiteFailure.storageError(error, path: file.path) }
        noteMemory()
    }

    private func noteMemory() { memoryUse.store(database?.memoryByteCount ?? 0, ordering: .relaxed) }

    public func rows(after key: StoredKey?, countMax: Int) throws(StorageError) -> [StoredRowAge] {
        let database = try openDatabase()
        do {
            return try database.rows(after: key, countMax: countMax)
        } catch {
            throw SQLiteFailure.storageError(error, path: file.path)
        }
    }

    public func size() throws(StorageError) -> JournalSize {
        let database = try openDatabase()
        do {
            return JournalSize(fileByteCount: file.storedByteCount, usedByteCount: try database.usedByteCount())
        } catch {
            throw SQLiteFailure.storageError(error, path: file.path)
        }
    }

    public func shrink() throws(StorageError) {
        let database = try openDatabase()
        do { try database.shrink() } catch { throw SQLiteFailure.storageError(error, path: file.path) }
    }

    public func releaseFreeSpace(isLast: Bool) throws(StorageError) -> Bool {
        let database = try openDatabase()
        do {
            return try database.releaseFreeSpace(isLast: isLast)
        } catch {
            throw SQLiteFailure.storageError(error, path: file.path)
        }
    }

    public func releaseMemory() {
        database?.releaseMemory()
    }

    public func rebuild() throws(StorageError) {
        _ = try rebuild(reason: "damage found while it was in use")
    }

    public func restart(reason: String) throws(StorageError) -> RecoveredState {
        let opened = try reopen(reason: reason)
        salvagedLayerCount = opened.state.layers.count
        recovered = opened.state
        return recovered
    }

    /// Copies the committed contents into a new file, without free pages and without a log.
    ///
    /// - Parameters:
    ///   - path: The path of the copy, created with mode 0600; an existing file is replaced.
    ///   - byteCountMax: The size above which a database is not copied.
    /// - Returns: Whether the copy was made.
    /// - Throws: ``Tidemark/StorageError``.
    package func copy(to path: String, byteCountMax: Int64) throws(StorageError) -> Bool {
        let database = try openDatabase()
        do {
            guard try database.usedByteCount() <= byteCountMax else { return false }
            try database.copy(to: path)
            return true
        } catch {
            throw SQLiteFailure.storageError(error, path: path)
        }
    }

    public func diskUse() async -> JournalUse { database?.diskUse() ?? JournalUse() }

    public func byteCount() -> Int64 {
        file.byteCount
    }

    /// - Throws: ``Tidemark/StorageError`` when the log could not be copied back. The file is closed even then, and
    ///   opening it again finds everything that was committed.
    public func close() throws(StorageError) {
        let database = try openDatabase()
        self.database = nil
        defer {
            use = nil
            identityLock?.release()
            lock.release()
        }
        do { try database.close() } catch { throw SQLiteFailure.storageError(error, path: file.path) }
    }

    /// Limits the size of the file, for tests of a full disk.
    func limitPages(_ count: Int) throws(StorageError) {
        let database = try openDatabase()
        do { try database.limitPages(count) } catch { throw SQLiteFailure.storageError(error, path: file.path) }
    }

    /// Returns `PRAGMA synchronous` and `PRAGMA fullfsync` of the connection that writes, for tests.
    func syncSettings() throws(StorageError) -> (synchronous: Int?, fullfsync: Int?) {
        let database = try openDatabase()
        do { return try database.syncSettings() } catch { throw SQLiteFailure.storageError(error, path: file.path) }
    }

    func openDatabase() throws(StorageError) -> JournalDatabase {
        guard let database else {
            throw StorageError(.closed, "\(file.path) was closed", advice: "open it again")
        }
        return database
    }
}
