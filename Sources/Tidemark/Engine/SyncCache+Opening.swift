import Logging
import TidemarkModel
import TidemarkStore

/// Opens a cache: recovers its state, removes entities that no tier may keep any more, and restores pending layers.
extension SyncCache {
    /// Opens a cache over a journal of your own, which no other cache or program may use at the same time.
    ///
    /// ```swift
    /// func open(over journal: some Journal) async throws -> SyncCache {
    ///     var configuration = CacheConfiguration()
    ///     configuration.memoryByteCountMax = 64 << 20
    ///     return try await SyncCache.open(configuration: configuration, journal: journal)
    /// }
    /// ```
    ///
    /// Most programs use `SyncCache.open(path:)` of the module `TidemarkSQLite` instead.
    ///
    /// - Parameters:
    ///   - configuration: The settings of the cache.
    ///   - journal: Where the cache stores its data. The cache closes it in ``close()``.
    ///   - upstream: The source of missing events; without one they are lost after the reorder window.
    ///   - queryUpstream: The source of responses to queries that the cache cannot answer; without one such queries
    ///     fail.
    ///   - mutationUpstream: The server that performs the requests of pending edits; without one nothing is sent.
    ///   - clock: The source of time for ages and pauses.
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
    ///   - configuration: The settings of the cache.
    ///   - journal: Where the cache stores its data.
    ///   - upstream: The source of missing events; without one they are lost after the reorder window.
    ///   - queryUpstream: The source of responses to queries that the cache cannot answer; without one such queries
    ///     fail.
    ///   - mutationUpstream: The server that performs the requests of pending edits; without one nothing is sent.
    ///   - clock: The source of time for ages and pauses.
    ///   - recorder: Records every change of the state from now on; nil records nothing.
    ///   - corrects: Whether to move a clock forward that lags the last write; false for a replay, which uses recorded
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
            // The journal's first check did not find this damage. No caller has seen any of the data yet, so the cache
            // may start over.
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
        // A cache with little memory must not spend as much again on lists.
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
        // Not earlier: an error above passes the journal to another cache.
        if recovered.isOpening { await cache.startFlush() }
        return cache
    }

    /// Delays the first flush until the journal has looked for damage.
    private func awaitOpening() { flushes.waitForOpening() }

    /// Reads from the journal. If the read finds damage while the journal is being opened, it is repeated after the
    /// opening, which has then replaced the damaged database.
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

    /// Removes stored entities of types that the journal must not have any more. This is done before anything else is
    /// written, so that no file has a cursor ahead of such entities.
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

    /// Loads the entities under pending layers into memory, where layers need them, and activates the layers.
    private func activateLayers() async throws(StorageError) {
        guard state.layerCount > 0 else { return }
        let keys = state.keysToLoadForLayers()
        if !keys.isEmpty { state.install(try await journal.load(keys)) }
        state.activateLayers(at: clock.now())
    }
}
