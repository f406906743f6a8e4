import Logging
import TidemarkModel
import TidemarkStore

/// Healing: asking the upstream again for lost numbers.
///
/// - Source: Protocol/sequencing.md, healing.
extension SyncCache {
    /// Asks the upstream now for every lost number, and returns when its responses are applied.
    ///
    /// ```swift
    /// for status in await cache.heal() where !status.lost.isEmpty {
    ///     print(status.library, "still misses", status.lost.count, "ranges")
    /// }
    /// ```
    ///
    /// The cache also heals by itself: when it is opened, when the upstream responds after a failure, and every 10
    /// minutes, with pauses that double up to a day while requests bring nothing. Call this as soon as you know that
    /// the upstream is reachable again. If a library also misses numbers ahead of its cursor, these are requested first
    /// and its lost numbers a little later.
    ///
    /// Without an upstream, while the cache is suspended, and after ``close()``, this changes nothing.
    ///
    /// - Parameter library: The library to heal; nil for every library.
    /// - Returns: The status of all libraries afterwards, as ``libraries()`` returns it.
    @discardableResult
    public func heal(library: ByteString? = nil) async -> [LibraryStatus] {
        guard upstream != nil, isActive else { return state.statuses }
        followLosses()
        let wanted = state.lossyLibraries.filter { library == nil || state.status(of: $0).library == library }
        upstreamRequests.wantHealing(of: wanted, at: clock.now())
        await askForLost()
        // A response that brought something is followed by another request.
        while !isClosed, let asked = wanted.lazy.compactMap({ self.healingTask($0) }).first { await asked.value }
        return state.statuses
    }

    /// Begins to ask for numbers that were lost before the cache was opened.
    func beginHealing() {
        guard upstream != nil else { return }
        followLosses()
        upstreamRequests.wantAllHealing(at: clock.now())
        scheduleHealing()
    }

    /// Updates the schedule after numbers may have been lost.
    func followLosses() {
        guard upstream != nil else { return }
        let isUpdated = upstreamRequests.followLosses(
            lossCount: state.lossCount, lossy: { state.lossyLibraries }, at: { clock.now() })
        if isUpdated { scheduleHealing() }
    }

    /// Updates the schedule after the end of a request, which may have been one for lost numbers.
    ///
    /// - Parameter isAnswered: Whether the upstream responded. If so, it is reachable again, and libraries whose last
    ///   request for lost numbers got no response are due.
    func followHealing(of library: LibraryIndex, isAnswered: Bool) {
        guard upstream != nil else { return }
        upstreamRequests.followHealing(
            of: library, isAnswered: isAnswered, isHealing: state.isHealing(library),
            lost: { state.lostRanges(of: library) }, lossy: { state.lossyLibraries }, at: clock.now())
        followLosses()
        scheduleHealing()
    }

    private func scheduleHealing() {
        guard !isClosed, let due = upstreamRequests.nextHealing else { return }
        timers.setHealing(at: due) {
            let delay = max(0, due.subtractingClamped(clock.now()))
            return spawn { [weak self, clock] in
                do {
                    try await clock.sleep(milliseconds: delay)
                } catch {
                    return
                }
                await self?.healTimerFired()
            }
        }
    }

    private func healTimerFired() async {
        timers.healingFired()
        await untilActive()
        await askForLost()
    }

    /// Sends the requests that are due. Holds the lock for changes, so that no batch is overtaken.
    private func askForLost() async {
        guard !isClosed else { return }
        await takeTurn()
        defer { turns.changes.release() }
        let now = clock.now()
        for library in upstreamRequests.dueHealings(lossy: state.lossyLibraries, at: now) where !isClosed {
            let lost = state.canHeal(library) ? state.lostRanges(of: library) : nil
            guard upstreamRequests.beginsHealing(library, lost: lost, at: now) else { continue }
            let name = state.status(of: library).library
            perform(
                recorded(.healing(library: name), of: name, at: now) {
                    state.beginHealing(library, at: now)
                })
        }
        scheduleHealing()
    }

    /// Returns the request for lost numbers that is under way; nil when there is none.
    private func healingTask(_ library: LibraryIndex) -> Task<Void, Never>? {
        state.isHealing(library) ? upstreamRequests.task(of: library) : nil
    }

    // MARK: Lying numbers

    /// Moves a cursor back to `sequence` after a wrong number moved it forward.
    ///
    /// Numbers above `sequence` are no longer lost, entities that were written under such a number count as written at
    /// `sequence`, and every query of the library becomes stale.
    ///
    /// - Parameter sequence: A sequence below the cursor.
    /// - Throws: ``CacheError`` when the cursor cannot be moved back; ``StorageError`` when entities cannot be read or
    ///   written.
    /// - Complexity: O(entities of the library).
    package func rewind(library: ByteString, to sequence: EventSequence) async throws {
        try checkStorageChangeable()
        await takeTurn()
        defer { turns.changes.release() }
        guard let index = state.libraryIndex(of: library) else {
            throw CacheError(.invalidParams, "library \(library) is not known")
        }
        try await flush()
        try await loadAbove(sequence, of: index)
        do throws(CacheState.RewindError) {
            try state.rewind(library, to: sequence, at: clock.now())
        } catch {
            throw CacheError(rewind: error, of: library, to: sequence)
        }
        distribute()
        try await flush()
    }

    /// Loads the entities that were last written above a sequence. Entities under layers are in memory already.
    private func loadAbove(_ sequence: EventSequence, of library: LibraryIndex) async throws(StorageError) {
        for place in state.storedTypes(library: state.status(of: library).library, type: nil) {
            var after: StoredID?
            while true {
                let page = try await journal.page(
                    library: place.library, type: place.type, after: after, countMax: SyncCache.pageCountMax)
                guard let last = page.last else { break }
                after = last
                let above = page.entities.filter { $0.highestSequence.map { $0 > sequence } ?? false }
                state.install(LoadedEntities(entities: above))
            }
        }
    }
}

extension CacheError {
    fileprivate init(rewind refusal: CacheState.RewindError, of library: ByteString, to sequence: EventSequence) {
        switch refusal {
        case .unknownLibrary:
            self.init(.invalidParams, "library \(library) is not known")
        case .notAhead(let cursor):
            let place = cursor.map { "at \($0.rawValue)" } ?? "cold"
            self.init(
                .conflict, "library \(library) is \(place): only a cursor above \(sequence.rawValue) can go back to it")
        case .busy:
            self.init(.conflict, "library \(library) waits for missing events: try again when its gap is closed")
        }
    }
}
