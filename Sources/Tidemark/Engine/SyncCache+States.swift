import TidemarkModel
import TidemarkStore

/// The ends of states: rows that only the journal has are read before the events that end one are applied.
extension SyncCache {
    /// Does the same as ``withLoaded(_:_:)`` for events that may end a state.
    ///
    /// - Parameters:
    ///   - batches: The events that `body` applies, besides those that wait.
    ///   - keys: The keys that `body` needs.
    func withLoaded<Result>(
        for batches: [EventBatch], _ keys: () -> [StoredKey], _ body: () -> Result
    ) async throws(StorageError) -> Result {
        if state.sweeps(with: batches).isEmpty { return try await withLoaded(keys, body) }
        turns.loads.begin()
        defer { endLoading() }
        while true {
            let commit = flushes.commitCount
            let sweeps = state.sweeps(with: batches)
            var rows: [SweptRow] = []
            for sweep in sweeps { rows += try await storedRows(for: sweep) }
            let result: Result? = try await withLoaded(keys) {
                // After a commit the rows may belong to other entities.
                guard commit == flushes.commitCount, sweeps == state.sweeps(with: batches) else {
                    return nil
                }
                state.beginSweep(rows)
                defer { state.endSweep() }
                return body()
            }
            if let result { return result }
        }
    }

    /// Returns the journal's rows that an end of a state may remove, whether or not the entities are in memory.
    ///
    /// - Complexity: O(rows of the library) time, page by page, and O(result) memory.
    private func storedRows(for sweep: Sweep) async throws(StorageError) -> [SweptRow] {
        var rows: [SweptRow] = []
        for place in state.storedTypes(library: state.status(of: sweep.library).library, type: nil) {
            var after: StoredID?
            while true {
                let page = try await journal.page(
                    library: place.library, type: place.type, after: after, countMax: SyncCache.pageCountMax)
                guard let last = page.last else { break }
                after = last
                rows += page.entities.map { SweptRow($0) }.filter(sweep.concerns)
                rows += page.damaged.map { SweptRow(damaged: $0) }
            }
        }
        return rows
    }

    /// The number of events from inputs that wait in units that have not ended.
    package var openUnitEventCount: Int { state.openUnitEventCount }

    /// Drops what waits in a library, because the connection that brought it ended: the source may number its lines
    /// anew. A recording ends there.
    package func dropWaiting(in library: ByteString) async {
        await takeTurn()
        defer { turns.changes.release() }
        if state.dropWaiting(in: library, at: clock.now()) { recorder?.end(because: "a connection was cut in a unit") }
        distribute()
    }

    /// Returns where a library's log can be resumed. nil if something of the log may be missing, so that only a state
    /// brings it up to date.
    package func resumption(of library: ByteString) -> (epoch: ByteString, cursor: EventSequence)? {
        state.resumption(of: library)
    }
}
