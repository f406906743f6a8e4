import TidemarkModel
import TidemarkStore

extension SyncCache {
    /// Does the same as ``withChange(_:_:)`` for the events of a batch. Of entities that they replace as a whole only
    /// the rows are found, and nothing is read.
    func withChange(for batch: EventBatch, _ body: () -> Void) async throws(StorageError) {
        if try await withPlaceholders(for: batch, body) { return }
        try await withChange({ state.keysToLoad(for: batch) }, body)
    }

    /// Whether placeholders may be in memory while events are applied. Documents are put together between two events;
    /// and a recording must find in memory what the cache had there.
    private var allowsPlaceholders: Bool { recorder == nil && graphHost.map { $0.watcherCount > 0 } != true }

    /// - Returns: false when nothing was done: there is no entity to replace, or a watcher came.
    private func withPlaceholders(for batch: EventBatch, _ body: () -> Void) async throws(StorageError) -> Bool {
        guard allowsPlaceholders else { return false }
        var needs = state.needs(of: batch)
        if needs.replaced.isEmpty { return false }
        await takeLoadTurn()
        turns.loads.begin()
        defer {
            endLoading()
            turns.loads.release()
        }
        // While the turn and the journal are waited for, needs may change, and a commit may remove a row that was
        // found. A key that the journal does not have is asked for once.
        var asked: Set<StoredKey> = []
        var searched: Set<StoredKey> = []
        var searchedAt = flushes.commitCount
        var rows: [StoredRow] = []
        while true {
            let missing = needs.loaded.subtracting(asked)
            if !missing.isEmpty {
                asked.formUnion(missing)
                state.install(try await loadFromJournal(Array(missing)))
            } else if !searched.isSuperset(of: needs.replaced) || searchedAt != flushes.commitCount {
                searched = needs.replaced
                searchedAt = flushes.commitCount
                let keys = Array(searched)
                rows = try await readingJournal { () throws(StorageError) in try await journal.find(keys) }
            } else {
                break
            }
            needs = state.needs(of: batch)
        }
        guard allowsPlaceholders else { return false }
        guard lifeCycle.acceptsChanges else {
            throw StorageError(.closed, "the cache was closed: nothing changed", advice: "open it again")
        }
        let placeholders = state.addPlaceholders(rows.lazy.filter { needs.replaced.contains($0.key) })
        body()
        state.removePlaceholders(placeholders)
        return true
    }
}
