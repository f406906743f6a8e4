import Tidemark
import TidemarkModel
import TidemarkStore

/// A journal that keeps everything in memory, for tests that are not about disks.
///
/// It obeys the laws of a real journal, and fails when a test tells it to. Its content survives ``close()``: pass the
/// same `store` to a new journal to reopen it.
package actor MemoryJournal: Journal, RecordStorage {
    /// The content that a real journal would have on the disk.
    package actor Store {
        fileprivate var contents = MemoryJournalContents()

        package init() {}

        /// Returns a store with the same content, which changes independently.
        package func copy() async -> Store {
            let copy = Store()
            await copy.replace(contents)
            return copy
        }

        private func replace(_ contents: MemoryJournalContents) {
            self.contents = contents
        }

        fileprivate func clear() {
            contents = MemoryJournalContents()
        }

        fileprivate func update<Result: Sendable>(
            _ body: @Sendable (inout MemoryJournalContents) throws(StorageError) -> Result
        ) throws(StorageError) -> Result {
            // Changes are made to a copy, so that a failed flush changes nothing.
            var next = contents
            let result = try body(&next)
            contents = next
            return result
        }
    }

    /// The store, which outlives the journal.
    package nonisolated let store: Store
    /// The memory that the journal claims to need to find entities, in bytes.
    package nonisolated let memoryByteCount: Int
    private let quarantineRecordCountMax: Int
    private var isClosed = false
    private var failures: [StorageError] = []
    private var isFailing: StorageError?
    private var isPaused = false
    private var waiting: [CheckedContinuation<Void, Never>] = []
    private var areLoadsPaused = false
    private var loadFailure: StorageError?
    /// The ids whose rows are to be found damaged.
    private var damaged: Set<StoredID> = []
    private var waitingLoads: [CheckedContinuation<Void, Never>] = []
    private var isRebuildPaused = false
    private var waitingRebuilds: [CheckedContinuation<Void, Never>] = []
    private var isFreeingPaused = false
    private var waitingFreeings: [CheckedContinuation<Void, Never>] = []
    private var watchers: [CheckedContinuation<Void, Never>] = []

    /// The number of flushes that were committed.
    package private(set) var commitCount = 0
    /// The number of rows of all committed flushes.
    package private(set) var committedRowCount = 0
    /// The number of keys that ``load(_:)`` has read.
    package private(set) var loadedKeyCount = 0
    /// How often the journal was asked to free memory.
    package private(set) var releaseCount = 0

    /// Makes a journal over a store.
    ///
    /// - Parameters:
    ///   - store: The content that an earlier journal left; empty by default.
    ///   - quarantineRecordCountMax: How many records to keep, the newest.
    ///   - memoryByteCount: The memory that the journal claims to need to find entities.
    package init(
        store: Store = Store(), quarantineRecordCountMax: Int = Limits().quarantineRecordCountMax,
        memoryByteCount: Int = 0
    ) {
        self.store = store
        self.memoryByteCount = memoryByteCount
        self.quarantineRecordCountMax = quarantineRecordCountMax
    }

    // MARK: Faults

    /// Makes the next commits fail, with one error each, in this order.
    package func failNextCommits(_ errors: [StorageError]) {
        failures += errors
    }

    /// Makes every commit fail until this is called with nil.
    package func failCommits(_ error: StorageError?) {
        isFailing = error
    }

    /// Delays commits until ``resume()``, as a slow disk does.
    package func pause() {
        isPaused = true
    }

    /// Continues the delayed commits, and no longer delays later ones.
    package func resume() {
        isPaused = false
        for continuation in waiting { continuation.resume() }
        waiting.removeAll()
    }

    /// Lets loads and pages read at once, but delays their results until ``resumeLoads()``.
    package func pauseLoads() {
        areLoadsPaused = true
    }

    /// Makes every load fail, delayed ones included, until this is called with nil.
    package func failLoads(_ error: StorageError?) {
        loadFailure = error
    }

    /// Makes loads find the row of an id damaged, in any library and type.
    package func damage(_ id: String) { damaged.insert(StoredID(ByteString(id))) }

    /// Returns the results of delayed loads, and no longer delays later ones.
    package func resumeLoads() {
        areLoadsPaused = false
        for continuation in waitingLoads { continuation.resume() }
        waitingLoads.removeAll()
    }

    /// Delays a rebuild until ``resumeRebuild()``.
    package func pauseRebuild() {
        isRebuildPaused = true
    }

    /// Continues a delayed rebuild, and no longer delays later ones.
    package func resumeRebuild() {
        isRebuildPaused = false
        for continuation in waitingRebuilds { continuation.resume() }
        waitingRebuilds.removeAll()
    }

    /// Delays the last step of a flush, which returns free space, until ``resumeFreeing()``.
    package func pauseFreeing() {
        isFreeingPaused = true
    }

    /// Continues the delayed last step of a flush, and no longer delays later ones.
    package func resumeFreeing() {
        isFreeingPaused = false
        for continuation in waitingFreeings { continuation.resume() }
        waitingFreeings.removeAll()
    }

    /// Returns as soon as `count` commits, loads, rebuilds and last steps of flushes together are delayed.
    package func waitUntilHeld(count: Int = 1) async {
        while waiting.count + waitingLoads.count + waitingRebuilds.count + waitingFreeings.count < count {
            await withCheckedContinuation { watchers.append($0) }
        }
    }

    private func notifyWatchers() {
        for watcher in watchers { watcher.resume() }
        watchers.removeAll()
    }

    /// Returns the stored entities by key, whatever the journal's faults.
    package func stored() async -> [StoredKey: StoredEntity] {
        await store.contents.entities
    }

    /// Returns the stored queries, ascending by number, whatever the journal's faults.
    package func queries() async -> [QueryRecord] {
        await store.contents.recovered.queries
    }

    /// Returns the stored layers, ascending by number, whatever the journal's faults.
    package func layers() async -> [LayerRecord] {
        await store.contents.recovered.layers
    }

    /// Returns all records of the quarantine, oldest first, whatever the journal's faults.
    package func quarantine() async -> [QuarantineRecord] {
        await store.contents.quarantine
    }

    // MARK: Journal

    /// Returns the state in the store.
    package func recover() async throws(StorageError) -> RecoveredState {
        try checkOpen()
        return await store.contents.recovered
    }

    /// Only checks that the journal is open: every read scans all entities, so there are no indexes to change.
    package func changeIndexes(
        _ changes: FieldIndexChanges, progress: (@Sendable (FieldIndexProgress) -> Void)?
    ) throws(StorageError) {
        try checkOpen()
    }

    /// Reads a page of entities; the constraint is ignored.
    package func page(
        library: LibraryIndex, type: TypeIndex, after id: StoredID?, countMax: Int, constraint: FieldConstraint?
    ) async throws(StorageError) -> LoadedEntities {
        precondition(countMax > 0, "a page has one entity at least, not \(countMax)")
        try checkOpen()
        let entities = await store.contents.page(library: library, type: type, after: id, countMax: countMax)
        await waitForLoads()
        return LoadedEntities(entities: entities)
    }

    /// Reads entities by key.
    package func load(_ keys: [StoredKey]) async throws(StorageError) -> LoadedEntities {
        try checkOpen()
        let entities = await store.contents.entities
        await waitForLoads()
        if let loadFailure { throw loadFailure }
        loadedKeyCount += keys.count
        let found = keys.compactMap { entities[$0] }
        return LoadedEntities(
            entities: found.filter { !damaged.contains($0.key.id) },
            damaged: found.filter { damaged.contains($0.key.id) }.map { StoredRow(key: $0.key, row: $0.row) })
    }

    /// Finds the rows of entities by key.
    package func find(_ keys: [StoredKey]) async throws(StorageError) -> [StoredRow] {
        try checkOpen()
        let entities = await store.contents.entities
        await waitForLoads()
        if let loadFailure { throw loadFailure }
        return keys.compactMap { key in entities[key].map { StoredRow(key: key, row: $0.row) } }
    }

    /// Counts the call.
    package func releaseMemory() { releaseCount += 1 }

    /// Returns rows in the order of their numbers.
    package func rows(after key: StoredKey?, countMax: Int) async throws(StorageError) -> [StoredRowAge] {
        try checkOpen()
        let rows = await store.contents.rows(after: key, countMax: countMax)
        await waitForLoads()
        if let loadFailure { throw loadFailure }
        return rows
    }

    /// Returns records of the quarantine.
    package func quarantine(_ selection: QuarantineSelection) async throws(StorageError) -> [QuarantineRecord] {
        try checkOpen()
        return Array(await store.contents.quarantine.filter { selection.holds($0) }.prefix(selection.countMax))
    }

    /// Counts the stored entities of each library and type.
    package func entityCounts() async throws(StorageError) -> [JournalEntityCount] {
        try checkOpen()
        var counts: [LibraryIndex: [TypeIndex: Int64]] = [:]
        for key in await store.contents.entities.keys { counts[key.library, default: [:]][key.type, default: 0] += 1 }
        return counts.flatMap { library, byType in
            byType.map { JournalEntityCount(library: library, type: $0.key, count: $0.value) }
        }
    }

    /// Returns nothing: a journal in memory cannot be examined.
    package func examine() -> [JournalFinding] { [] }

    /// Returns the size of all payloads.
    package func size() async -> JournalSize {
        let byteCount = await store.contents.byteCount
        return JournalSize(fileByteCount: byteCount, usedByteCount: byteCount)
    }

    /// Does nothing: there is no disk.
    package func shrink() {}

    /// Returns false, after ``resumeFreeing()`` if it is delayed.
    package func releaseFreeSpace(isLast: Bool) async -> Bool {
        while isFreeingPaused {
            await withCheckedContinuation {
                waitingFreeings.append($0)
                notifyWatchers()
            }
        }
        return false
    }

    private func waitForLoads() async {
        while areLoadsPaused {
            await withCheckedContinuation {
                waitingLoads.append($0)
                notifyWatchers()
            }
        }
    }

    /// Commits a flush, after ``resume()`` if it is delayed.
    ///
    /// - Throws: The next error of ``failNextCommits(_:)`` or ``failCommits(_:)``, or `.damaged` for a flush that
    ///   contradicts the content.
    /// Returns the records of a kind.
    package func records(of kind: ByteString) async throws(StorageError) -> [ByteString: [UInt8]] {
        try checkOpen()
        return await store.contents.records[kind] ?? [:]
    }

    package func commit(_ flush: FlushBatch) async throws(StorageError) {
        while isPaused {
            await withCheckedContinuation {
                waiting.append($0)
                notifyWatchers()
            }
        }
        try checkOpen()
        if let isFailing { throw isFailing }
        if !failures.isEmpty { throw failures.removeFirst() }
        let limit = quarantineRecordCountMax
        try await store.update { (contents) throws(StorageError) in
            try contents.apply(flush, quarantineRecordCountMax: limit)
        }
        commitCount += 1
        committedRowCount += flush.rows.count
    }

    /// Clears the store, after ``resumeRebuild()`` if it is delayed.
    package func rebuild() async throws(StorageError) {
        try checkOpen()
        while isRebuildPaused {
            await withCheckedContinuation {
                waitingRebuilds.append($0)
                notifyWatchers()
            }
        }
        await store.clear()
    }

    /// Clears the store and returns an empty state: nothing can be saved.
    package func restart(reason: String) async throws(StorageError) -> RecoveredState {
        try await rebuild()
        return RecoveredState()
    }

    /// Returns 0: nothing is on a disk.
    package func byteCount() -> Int64 { 0 }

    /// Closes the journal; the store stays.
    package func close() throws(StorageError) {
        try checkOpen()
        isClosed = true
    }

    private func checkOpen() throws(StorageError) {
        if isClosed { throw StorageError(.closed, "the journal was closed", advice: "open it again") }
    }
}
