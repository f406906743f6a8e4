import TidemarkModel
import TidemarkStore

extension SyncCache {
    /// Erases a library: its entities, lists, tombstones, pending edits, stored HTTP responses and quarantined lines.
    ///
    /// When the call returns, nothing of them can be read from the data file or its log, by whoever has the key either.
    /// If the process ends in between, either nothing was erased, or the next opening finishes the work.
    ///
    /// ```swift
    /// try await cache.erase(library: "user-17")  // for example when this user deletes the account
    /// ```
    ///
    /// - Parameter library: The library; empty for the one of events without a library.
    /// - Returns: False if the cache has nothing of the library.
    /// - Throws: ``CacheError`` when the cache is closed; `storageFailed` when the disk fails.
    /// - Complexity: O(bytes of the data file), and the same disk space again meanwhile.
    @discardableResult public nonisolated func erase(library: String) async throws(CacheError) -> Bool {
        try await erase(library: ByteString(library))
    }

    /// Erases a library, as the public method does.
    @discardableResult package func erase(library: ByteString) async throws(CacheError) -> Bool {
        guard let erasing = journal as? any ErasingJournal else {
            let isKnown = libraries().contains { $0.library == library } || !pendingLayers(library: library).isEmpty
            try await eraseInMemory(library)
            try await writeAllNow()
            return isKnown
        }
        // What is in memory alone counts as well.
        try await writeAllNow()
        let isHeld: Bool
        do throws(StorageError) {
            isHeld = try await erasing.holds(library: library)
        } catch {
            throw CacheError(error)
        }
        if isHeld {
            try await eraseInMemory(library)
            try await writeAllNow()
        }
        do throws(StorageError) {
            // An earlier call may have failed here.
            try await erasing.scrub()
        } catch {
            throw CacheError(error)
        }
        return isHeld
    }

    /// Removes a library from memory, and adds its erasure to the next flush. The flush runs without the turn.
    private func eraseInMemory(_ library: ByteString) async throws(CacheError) {
        await takeTurn()
        defer { turns.changes.release() }
        try checkOpen()
        for layer in pendingLayers(library: library) {
            do throws(LayerError) {
                try rollBackNow(layer.pendingID, library: library)
            } catch {
                // An earlier rollback of this loop has taken this layer along.
                continue
            }
        }
        let now = clock.now()
        recorded(.clearing(library: library), at: now) {
            state.clear(library: library, at: now)
            flushes.add([LibraryErasure(library, keepsViews: true)])
            distribute()
        }
    }
}
