import TidemarkModel
import TidemarkStore

extension SyncCache {
    /// Does the same as ``withChange(_:_:)`` for the events of a batch. Of entities that they replace as a whole only
    /// the rows are found, and nothing is read.
    func withChange(for batch: EventBatch, _ body: () -> Void) async throws(StorageError) {
        // Documents are put together between two events, from entities that may be placeholders then; and a recording
        // must find in memory what the cache had there.
        let isPlain = recorder == nil && graphHost.map { $0.watcherCount == 0 } ?? true
        var needs = isPlain ? state.needs(of: batch) : EntityNeeds()
        if needs.replaced.isEmpty { return try await withChange({ state.keysToLoad(for: batch) }, body) }
        await takeLoadTurn()
        turns.loads.begin()
        defer {
            endLoading()
            turns.loads.release()
        }
        // While the journal is asked, needs may grow, and a commit may remove a row that was found. A key that the
        // journal does not have is asked for once.
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
                rows = try await journal.find(Array(searched))
            } else {
                break
            }
            needs = state.needs(of: batch)
        }
        // A watcher may have come meanwhile.
        guard graphHost.map({ $0.watcherCount == 0 }) ?? true else {
            return try await withChange({ state.keysToLoad(for: batch) }, body)
        }
        guard lifeCycle.acceptsChanges else {
            throw StorageError(.closed, "the cache was closed: nothing changed", advice: "open it again")
        }
        let placeholders = state.addPlaceholders(rows.lazy.filter { needs.replaced.contains($0.key) })
        body()
        state.removePlaceholders(placeholders)
    }
}
