import Tidemark
import TidemarkModel
import TidemarkStore

/// A journal that keeps everything in memory, for tests that are not about disks.
///
/// Obeys the laws of a real one, and fails when told to. What it holds survives ``close()``: give the
/// same `store` to a new journal to reopen it.
package actor MemoryJournal: Journal {
    /// What would be on disk.
    package actor Store {
        fileprivate var contents = MemoryJournalContents()

        package init() {}

        fileprivate func clear() {
            contents = MemoryJournalContents()
        }

        fileprivate func update<Result: Sendable>(
            _ body: @Sendable (inout MemoryJournalContents) throws(StorageError) -> Result
        ) throws(StorageError) -> Result {
            // A copy first: a flush that fails leaves no trace.
            var next = contents
            let result = try body(&next)
            contents = next
            return result
        }
    }

    /// Outlives the journal.
    package nonisolated let store: Store
    private let quarantineRecordCountMax: Int
    private var isClosed = false
    private var failures: [StorageError] = []
    private var isFailing: StorageError?
    private var isPaused = false
    private var waiting: [CheckedContinuation<Void, Never>] = []

    /// Flushes that were committed.
    package private(set) var commitCount = 0
    /// Rows of all of them.
    package private(set) var committedRowCount = 0

    /// - Parameters:
    ///   - store: What an earlier journal left; empty by default.
    ///   - quarantineRecordCountMax: Records kept, the newest.
    package init(
        store: Store = Store(), quarantineRecordCountMax: Int = Limits().quarantineRecordCountMax
    ) {
        self.store = store
        self.quarantineRecordCountMax = quarantineRecordCountMax
    }

    // MARK: Faults

    /// Lets the next commits fail, one error each, in this order.
    package func failNextCommits(_ errors: [StorageError]) {
        failures += errors
    }

    /// Lets every commit fail until it is called with nil.
    package func failCommits(_ error: StorageError?) {
        isFailing = error
    }

    /// Holds commits back, as a slow disk does, until ``resume()``.
    package func pause() {
        isPaused = true
    }

    /// Lets commits that wait, and later ones, go on.
    package func resume() {
        isPaused = false
        for continuation in waiting { continuation.resume() }
        waiting.removeAll()
    }

    /// The quarantine, oldest first; a journal has no way to read it, a test wants to.
    package func quarantine() async -> [QuarantineRecord] {
        await store.contents.quarantine
    }

    // MARK: Journal

    package func recover() async throws(StorageError) -> RecoveredState {
        try checkOpen()
        return await store.contents.recovered
    }

    package func load(_ keys: [StoredKey]) async throws(StorageError) -> LoadedEntities {
        try checkOpen()
        let entities = await store.contents.entities
        return LoadedEntities(entities: keys.compactMap { entities[$0] })
    }

    package func commit(_ flush: FlushBatch) async throws(StorageError) {
        while isPaused { await withCheckedContinuation { waiting.append($0) } }
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

    package func rebuild() async throws(StorageError) {
        try checkOpen()
        await store.clear()
    }

    package func byteCount() -> Int64 { 0 }

    package func close() throws(StorageError) {
        try checkOpen()
        isClosed = true
    }

    private func checkOpen() throws(StorageError) {
        if isClosed { throw StorageError(.closed, "the journal was closed", advice: "open it again") }
    }
}
