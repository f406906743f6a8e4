import TidemarkModel
import TidemarkStore

extension SyncCache {
    /// Does the same as ``withChange(_:_:)`` for the events of a batch. Entities that the batch replaces as a whole are
    /// not read; only their rows are found.
    func withChange(for batch: EventBatch, _ body: () -> Void) async throws(StorageError) {
        if state.sweeps(with: [batch]).isEmpty, try await withPlaceholders(for: batch, body) { return }
        try await withChange(for: [batch], { state.keysToLoad(for: batch) }, body)
    }

    /// True if placeholders may be in memory while events are applied. A wing reads the state between two
    /// events, and a recording needs the entities in memory that the cache had there.
    private var allowsPlaceholders: Bool { recorder == nil && wings.areUnobserved }

    /// - Returns: False when nothing was done, because there is no entity to replace or a watcher was added meanwhile.
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
        // While this waits for the lock and the journal, needs may change, and a commit may remove a row that was
        // found. A key that the journal does not have is requested once.
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
        guard allowsPlaceholders, state.sweeps(with: [batch]).isEmpty else { return false }
        guard lifeCycle.acceptsChanges else {
            throw StorageError(.closed, "the cache was closed: nothing changed", advice: "open it again")
        }
        let placeholders = state.addPlaceholders(rows.lazy.filter { needs.replaced.contains($0.key) })
        body()
        state.removePlaceholders(placeholders)
        return true
    }
}
