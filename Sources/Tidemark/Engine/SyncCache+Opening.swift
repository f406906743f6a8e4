import Logging
import TidemarkModel
import TidemarkStore

/// The opening of a cache: recovery, removal of entities that no tier keeps any more, and pending layers.
extension SyncCache {
    /// Opens a cache over a journal of your own, which no other cache or program may use.
    ///
    /// - Parameters:
    ///   - upstream: The source of missing events; without one they are lost after the reorder window.
    ///   - queryUpstream: The source of answers to queries that the cache cannot answer.
    ///   - mutationUpstream: The server that performs the requests of pending edits; without one nothing is sent.
    ///   - clock: The clock of ages and pauses; tests pass one of their own.
    /// - Throws: ``StorageError`` when the journal cannot be read.
    /// - Complexity: Independent of the number of stored entities; O(changes of pending layers).
    public static func open(
        configuration: CacheConfiguration = CacheConfiguration(), journal: any Journal,
        upstream: (any Upstream)? = nil, queryUpstream: (any QueryUpstream)? = nil,
        mutationUpstream: (any MutationUpstream)? = nil, clock: any CacheClock = SystemClock()
    ) async throws(StorageError) -> SyncCache {
        try await open(
            configuration: configuration, journal: journal, upstream: upstream, queryUpstream: queryUpstream,
            mutationUpstream: mutationUpstream, clock: clock, recorder: nil)
    }

    /// Opens a cache whose changes are recorded.
    ///
    /// - Parameters:
    ///   - upstream: The source of missing events; without one they are lost after the reorder window.
    ///   - queryUpstream: The source of answers to queries that the cache cannot answer.
    ///   - mutationUpstream: The server that performs the requests of pending edits; without one nothing is sent.
    ///   - recorder: The recorder of every change of the state from here on; nil: nothing is recorded.
    ///   - corrects: Whether a clock that lags the last write is moved forward; false for a replay, which uses recorded
    ///     times.
    /// - Throws: ``StorageError`` when the journal cannot be read.
    /// - Complexity: Independent of the number of stored entities; O(changes of pending layers).
    package static func open(
        configuration: CacheConfiguration = CacheConfiguration(), journal: any Journal,
        upstream: (any Upstream)? = nil, queryUpstream: (any QueryUpstream)? = nil,
        mutationUpstream: (any MutationUpstream)? = nil, clock: any CacheClock = SystemClock(),
        recorder: (any CacheRecorder)?, corrects: Bool = true
    ) async throws(StorageError) -> SyncCache {
        precondition(
            configuration.typesExcludedFromBothTiers.isEmpty,
            "types excluded from memory and from disk: \(configuration.typesExcludedFromBothTiers.sorted()); choose one"
        )
        func start(_ recovered: RecoveredState) async throws(StorageError) -> SyncCache {
            let cache = try await begin(
                recovered, configuration, journal, upstream, queryUpstream, clock, recorder, corrects: corrects)
            if let mutationUpstream {
                await cache.startOutbox(mutationUpstream, timeout: configuration.fetchTimeout.wholeMilliseconds)
            }
            return cache
        }
        do throws(StorageError) {
            return try await start(try await journal.recover())
        } catch {
            // The damage is deeper than the journal's first check. No caller has seen any of the data yet.
            guard error.code == .damaged else { throw error }
            return try await start(try await journal.restart(reason: error.cause))
        }
    }

    private static func begin(
        _ recovered: RecoveredState, _ configuration: CacheConfiguration, _ journal: any Journal,
        _ upstream: (any Upstream)?, _ queryUpstream: (any QueryUpstream)?, _ clock: any CacheClock,
        _ recorder: (any CacheRecorder)?, corrects: Bool
    ) async throws(StorageError) -> SyncCache {
        var limits = configuration.limits
        limits.evictedKeyCountMax = configuration.boundedEvictedKeyCountMax
        try await journal.changeIndexes(configuration.fieldIndexChanges, progress: configuration.onIndexProgress)
        var stateConfiguration = CacheStateConfiguration(
            limits: limits, defaultLibrary: configuration.defaultLibrary,
            typeAliases: configuration.typeAliases, reorderWindow: configuration.reorderWindow.wholeMilliseconds,
            hasUpstream: upstream != nil, policy: configuration.policy)
        // A cache with little memory does not spend as much again on lists.
        stateConfiguration.keptListByteCountMax = min(
            stateConfiguration.keptListByteCountMax, configuration.memoryByteCountMax / 16)
        stateConfiguration.keptEventByteCountMax = configuration.keptEventByteCountMax
        stateConfiguration.keptTypes = configuration.eviction.keptTypes
        stateConfiguration.keptFields = configuration.eviction.keptFields
        stateConfiguration.memoryExcludedTypes = configuration.memoryExcludedTypes
        stateConfiguration.diskExcludedTypes = configuration.diskExcludedTypes
        stateConfiguration.mergedTypes = configuration.mergedTypes
        let forward = corrects ? ForwardClock(clock, after: recovered.lastTakenAt) : nil
        stateConfiguration.doubts = forward?.doubts ?? .none
        var state = CacheState(
            configuration: stateConfiguration, recovered: recovered, seed: configuration.random())
        if recorder != nil { state.beginEvictionLog() }
        let time: any CacheClock = forward ?? clock
        let lag = time.now().subtractingClamped(clock.now())
        if lag > 0, recovered.lastTakenAt != nil {
            configuration.logger.warning(
                """
                the clock is \(lag / 1_000) s behind the last write: times continue from there, and what was written \
                after the clock's time counts as too old
                """)
        }
        let cache = SyncCache(
            configuration: configuration, journal: journal, upstream: upstream, queryUpstream: queryUpstream,
            clock: time, recorder: recorder, state: state)
        if recovered.isOpening { await cache.awaitOpening() }
        try await cache.removeUnstored()
        try await cache.activateLayers()
        await cache.followOutbox()
        await cache.beginEvicting()
        await cache.beginHealing()
        // No earlier: an error above gives the journal to another cache.
        if recovered.isOpening { await cache.startFlush() }
        return cache
    }

    /// Lets the first flush wait for the damage that the journal may still find.
    private func awaitOpening() { flushes.waitForOpening() }

    /// Reads from the journal. A read that meets damage while the journal is being opened is repeated after the
    /// opening, which has replaced the damaged database then.
    func readingJournal<Value: Sendable>(
        _ read: () async throws(StorageError) -> Value
    ) async throws(StorageError) -> Value {
        let opening = flushes.awaitsOpening ? flushes.task : nil
        do throws(StorageError) { return try await read() } catch {
            guard error.code == .damaged, let opening else { throw error }
            await opening.value
            return try await read()
        }
    }

    /// Removes stored entities of types that must not be in the journal any more. They are removed before anything else
    /// is written, so that they are never in a file whose cursor is ahead of them.
    private func removeUnstored() async throws(StorageError) {
        for place in state.unstoredPlaces {
            var after: StoredID?
            while true {
                let page = try await journal.page(
                    library: place.library, type: place.type, after: after, countMax: SyncCache.pageCountMax)
                guard let last = page.last else { break }
                after = last
                state.removeRows(
                    page.entities.map { StoredRow(key: $0.key, row: $0.row) } + page.damaged, at: clock.now())
                if state.dirtyCount >= configuration.flush.startCount { try await flush() }
            }
        }
        if !state.unstoredPlaces.isEmpty { try await flush() }
    }

    /// Loads the entities under pending layers, which layers need in memory, and activates the layers.
    private func activateLayers() async throws(StorageError) {
        guard state.layerCount > 0 else { return }
        let keys = state.keysToLoadForLayers()
        if !keys.isEmpty { state.install(try await journal.load(keys)) }
        state.activateLayers(at: clock.now())
    }
}
