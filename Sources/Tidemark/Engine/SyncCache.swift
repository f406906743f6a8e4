import Logging
import TidemarkModel
import TidemarkStore
import TidemarkWire

/// A normalized cache that is fed by change events, kept correct and durable.
///
/// The actor owns one ``TidemarkStore/CacheState`` and is entered once a batch. Reading, decoding and writing to disk
/// run beside it.
public actor SyncCache {
    let configuration: CacheConfiguration
    let journal: any Journal
    let upstream: (any Upstream)?
    let queryUpstream: (any QueryUpstream)?
    let clock: any CacheClock
    /// The recorder of every change of the state; nil when nothing is recorded.
    let recorder: (any CacheRecorder)?
    /// The counts when the cache was opened; the counts beyond them belong to this opening.
    package nonisolated let countsAtOpening: EventCounts
    /// The pool of buffers for all inputs.
    let pool = BatchPool()

    /// All of the cache's logic. Never used across an `await`.
    var state: CacheState
    /// The flush under way; nil when there is none. Its entities are not evicted.
    var flushTask: Task<Void, Never>?
    /// A flush that could not be written; it is written before any other.
    var failedFlush: PendingFlush?
    /// The timer of the flush interval; nil when no flush is scheduled.
    var flushTimer: Task<Void, Never>?
    /// The task that returns free space of the journal, step by step; nil when there is little.
    var shrinkTask: Task<Void, Never>?
    /// The timer for freeing spare memory after a time without writes; nil when none is set.
    var memoryTimer: Task<Void, Never>?
    /// The timer of the reorder window; nil when no number is missing.
    var gapTimer: Task<Void, Never>?
    /// The requests or pauses, one for each library that waits for an upstream. Bounded by `libraryCountMax`.
    var reconcileTasks: [LibraryIndex: ReconcileTask] = [:]
    /// The schedule of requests for lost numbers. Empty without an upstream.
    var healing = HealSchedule()
    /// The timer for the next request for lost numbers; nil when none is due.
    var healTimer: HealTimer?
    /// The ``TidemarkStore/CacheState/lossCount`` that the schedule last followed; -1 before that.
    var seenLossCount: Int64 = -1
    /// The libraries whose last request for lost numbers the upstream did not answer. Bounded by `libraryCountMax`.
    var unreachable: Set<LibraryIndex> = []
    /// The inputs that feed this cache. Bounded by the callers that open them.
    var inputs: [InputID: InputPosition] = [:]
    var nextInput: UInt32 = 0
    /// The decoder of lines that are in memory; nil until the first.
    var lineDecoder: EventDecoder?
    /// The turns of batches: they are applied one after another, in the order they came.
    var turn = FirstComeLock()
    /// The last failure to write; nil while the journal keeps up.
    public internal(set) var storageError: StorageError?
    /// The number of failed attempts since the last success.
    var failedAttemptCount = 0
    /// The number of commits so far.
    public internal(set) var commitCount = 0
    /// The number of entities that were evicted from memory so far.
    public internal(set) var evictedCount = 0
    var readCounts = ReadCounts()
    /// The metrics in the program's metrics backend.
    var metrics: CacheMetrics
    /// The turns of loads: one caller at a time loads entities and uses them; see ``withLoaded(_:_:)``.
    var loadTurn = FirstComeLock()
    /// The number of callers between asking the journal for entities and using them; nothing is evicted meanwhile.
    var loadingCount = 0
    /// The task that continues an eviction from memory, slice by slice; nil when there is nothing to do.
    var evictionTask: Task<Void, Never>?
    /// Whether the delegate refused the eviction from memory: until the next commit nothing is evicted from memory.
    var isMemoryVetoed = false
    /// Whether the delegate approved the eviction from memory, and nothing has been evicted yet.
    var mayEvictMemory = false
    /// The question to the delegate whether entities may be evicted from both tiers; nil when none is under way.
    var roomQuestion: Task<Void, Never>?
    /// Whether the delegate refused the eviction from both tiers: none begins until the next commit.
    var isRoomVetoed = false
    /// Whether the delegate approved the eviction from both tiers, and the limits are not met yet.
    var mayMakeRoom = false
    /// Whether the database passed its limit, and is not yet as small as an eviction makes it.
    var isDiskRoomWanted = false
    /// Whether the database takes more than its limit, and the last eviction evicted some entities.
    var isDiskCrowded = false
    /// The number of entities in both tiers when none of them could be evicted; 0 when some could.
    var crowdedCount: Int64 = 0
    /// The number of entities that were evicted from both tiers, or reduced, so far.
    var leftCount = 0
    /// The task that evicts entities of types that do not stay in memory; nil when there are none.
    var passingTask: Task<Void, Never>?
    /// The number of entities that were evicted from memory since a scan of all stored-only entities was fruitless.
    var droppedCount = 0
    /// The number of rows that the fruitless scan read; nil: some row may be evictable.
    var fruitlessRowCount: Int?
    /// The key after which the scan for old rows continues; nil: at the first row.
    var evictionHand: StoredKey?
    /// The number of entities in memory after the last complete scan, all of which had to stay. Another scan is not
    /// worth its cost until the next commit, or until there are an eighth more.
    var keptCount = 0
    /// The observer of durable cursors, notified after each commit; nil when there is none.
    var durabilityObserver: (@Sendable ([DurablePlace]) -> Void)?
    /// The positions of the observer's last notification, or of its start; one entry for each library.
    var durablePlaces: [ByteString: DurablePlace] = [:]
    var observers = ObserverRegistry()
    /// The fetches under way, by query. Bounded by `fetchCountMax`.
    var fetches: [QueryKey: Fetch] = [:]
    var nextFetch: UInt64 = 0
    /// The fetches of a recording that is being replayed. Bounded by `fetchCountMax` of the recorded cache.
    var replayedFetches: [UInt64: FetchStart] = [:]
    /// The moments when observed lists expire, and when refreshed observers are checked.
    var expiries = ExpiryQueue<ExpiryTarget>()
    /// The observers that asked to be refreshed. Bounded by `observerCountMax`.
    var refreshes: [SubscriptionID: Refresh] = [:]
    /// The timer for the earliest moment of `expiries`; nil when there is none.
    var expiryTimer: ExpiryTimer?
    /// The callers that wait for a position in a log. Bounded by the callers.
    var positionWaiters: [PositionWaiter] = []
    /// Whether the last input has ended: nothing comes any more until another one is opened.
    var hasInputEnded = false
    var isClosed = false
    /// Whether the last flush has begun: nothing changes any more.
    var isShut = false

    private init(
        configuration: CacheConfiguration, journal: any Journal, upstream: (any Upstream)?,
        queryUpstream: (any QueryUpstream)?, clock: any CacheClock, recorder: (any CacheRecorder)?,
        state: consuming CacheState
    ) {
        var configuration = configuration
        configuration.flush = configuration.boundedFlush
        self.configuration = configuration
        self.journal = journal
        self.upstream = upstream
        self.queryUpstream = queryUpstream
        self.clock = clock
        self.recorder = recorder
        metrics = CacheMetrics(counts: state.counts)
        countsAtOpening = state.counts
        self.state = state
    }

    /// Opens a cache over a journal, which no other cache or program may use.
    ///
    /// - Parameters:
    ///   - upstream: The source of missing events; without one they are lost after the reorder window.
    ///   - queryUpstream: The source of answers to queries that the cache cannot answer.
    ///   - recorder: The recorder of every change of the state from here on.
    ///   - corrects: Whether a clock that lags the last write is moved forward; false for a replay, which uses recorded
    ///     times.
    /// - Throws: ``StorageError`` when the journal cannot be read.
    /// - Complexity: Independent of the number of stored entities; O(changes of pending layers).
    package static func open(
        configuration: CacheConfiguration = CacheConfiguration(), journal: any Journal,
        upstream: (any Upstream)? = nil, queryUpstream: (any QueryUpstream)? = nil,
        clock: any CacheClock = SystemClock(), recorder: (any CacheRecorder)? = nil, corrects: Bool = true
    ) async throws(StorageError) -> SyncCache {
        precondition(
            configuration.excludedTwice.isEmpty,
            "types kept out of memory and of the disk: \(configuration.excludedTwice.sorted()); keep them out of one")
        func start(_ recovered: RecoveredState) async throws(StorageError) -> SyncCache {
            try await begin(
                recovered, configuration, journal, upstream, queryUpstream, clock, recorder, corrects: corrects)
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
            typeAliases: configuration.typeAliases, reorderWindow: configuration.reorderWindow,
            hasUpstream: upstream != nil, policy: configuration.policy)
        // A cache with little memory does not spend as much again on lists.
        stateConfiguration.keptListByteCountMax = min(
            stateConfiguration.keptListByteCountMax, configuration.memoryByteCountMax / 16)
        stateConfiguration.keptTypes = configuration.eviction.keptTypes
        stateConfiguration.keptFields = configuration.eviction.keptFields
        stateConfiguration.memoryExcludedTypes = configuration.memoryExcludedTypes
        stateConfiguration.diskExcludedTypes = configuration.diskExcludedTypes
        var state = CacheState(
            configuration: stateConfiguration, recovered: recovered, seed: configuration.random())
        if recorder != nil { state.watchLeavings() }
        let time: any CacheClock = corrects ? ForwardClock(clock, after: recovered.lastTakenAt) : clock
        let lag = time.now().subtractingClamped(clock.now())
        if lag > 0, recovered.lastTakenAt != nil {
            configuration.logger.warning(
                "the clock is \(lag / 1_000) s behind the last write: times go on from there")
        }
        let cache = SyncCache(
            configuration: configuration, journal: journal, upstream: upstream, queryUpstream: queryUpstream,
            clock: time, recorder: recorder, state: state)
        try await cache.takeOutUnstored()
        try await cache.activateLayers()
        await cache.beginMakingRoom()
        await cache.beginHealing()
        return cache
    }

    /// Removes stored entities of types that must not be in the journal any more. They are removed before anything else
    /// is written, so that they are never in a file whose cursor is ahead of them.
    private func takeOutUnstored() async throws(StorageError) {
        for place in state.unstoredPlaces {
            var after: StoredID?
            while true {
                let page = try await journal.page(
                    library: place.library, type: place.type, after: after, countMax: SyncCache.pageCountMax)
                guard let last = page.last else { break }
                after = last
                state.takeOut(
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

    // MARK: Reading

    /// Returns the current state of an entity.
    ///
    /// - Throws: ``StorageError`` when the journal is needed and cannot be read; `.closed` after the cache was closed.
    public func entity(_ key: EntityKey) async throws(StorageError) -> EntityAnswer {
        try checkStorageOpen()
        while true {
            switch state.lookUp(key) {
            case .found(let found) where !found.isWhole:
                countRead(miss: .evicted)
                return .missing(.evicted)
            case .found(let found):
                countRead(miss: nil)
                return .found(
                    StoredResource(
                        bytes: found.payload, sequence: found.stamp?.sequence,
                        writtenAt: found.stamp?.writtenAt ?? clock.now()))
            case .deleted:
                countRead(miss: .deleted)
                return .missing(.deleted)
            case .absent:
                return missing(key)
            case .elsewhere(let stored):
                let commitCount = commitCount
                let loaded = try await journal.load([stored]).entities
                // A commit during the load may have written or evicted the entity: look it up again.
                guard commitCount == self.commitCount else { continue }
                if case .elsewhere = state.lookUp(key) {
                    guard let entity = loaded.first else {
                        return missing(key)
                    }
                    // A read counts as a use for the order of evictions.
                    state.install(LoadedEntities(entities: [entity]))
                    checkMemory()
                    guard Completeness(fields: entity.fields) == .whole else {
                        countRead(miss: .evicted)
                        return .missing(.evicted)
                    }
                    countRead(miss: nil)
                    return .found(
                        StoredResource(
                            bytes: entity.payload, sequence: entity.sequence, writtenAt: entity.writtenAt))
                }
            }
        }
    }

    private func missing(_ key: EntityKey) -> EntityAnswer {
        let wasEvicted = state.wasEvicted(key)
        countRead(miss: wasEvicted ? .evicted : .absent)
        return .missing(wasEvicted ? .evicted : .absent)
    }

    /// Returns the status of every library, in the order they were first seen.
    public func libraries() -> [LibraryStatus] { state.statuses }

    /// Returns the counts of all lines and events since the database was made.
    public func counts() -> EventCounts { state.counts }

    /// The number of events that wait for a missing one, and the number of durable lines of an input.
    package func progress(of input: InputID) -> (heldCount: Int, durableLineCount: Int64) {
        (state.heldCount, inputs[input]?.acknowledged ?? 0)
    }

    /// The number of events that wait for a missing one.
    package var heldEventCount: Int { state.heldCount }

    /// Traps when the structures in memory contradict each other.
    ///
    /// - Complexity: O(contents of memory).
    package func checkInvariants() { state.checkInvariants() }

    /// Returns the number of entities in memory and on disk.
    public func entityCount() -> Int64 { state.entityCount }

    // MARK: Closing

    /// Writes all unwritten changes, tidies the journal and releases it.
    ///
    /// Calls that begin later throw, reads included; ``libraries()``, ``counts()`` and ``entityCount()`` return the
    /// final state.
    ///
    /// - Throws: ``StorageError`` when the last changes could not be written; they are then lost.
    public func close() async throws(StorageError) {
        guard !isClosed else { return }
        isClosed = true
        gapTimer?.cancel()
        healTimer?.task.cancel()
        expiryTimer?.task.cancel()
        memoryTimer?.cancel()
        await failFetches("the cache is being closed")
        releasePositionWaiters()
        flushTimer?.cancel()
        for reconcile in reconcileTasks.values { reconcile.task.cancel() }
        // Calls that wait for the journal continue, and their changes are written with the rest; later calls are
        // refused.
        if !loadTurn.takeAtOnce() { await withCheckedContinuation { loadTurn.wait($0) } }
        isShut = true
        loadTurn.giveBack()
        var failure: StorageError?
        do throws(StorageError) {
            try await writeAll()
            try await settleLimits()
        } catch {
            failure = error
        }
        flushTask?.cancel()
        await giveBackAtEnd()
        for input in inputs.keys { inputs[input]?.acknowledgements.finish() }
        try await journal.close()
        if let failure { throw failure }
    }
}
