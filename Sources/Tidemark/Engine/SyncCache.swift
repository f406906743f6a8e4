import Logging
import TidemarkModel
import TidemarkStore
import TidemarkWire

/// A normalized cache fed by change events, kept true and durable.
///
/// The actor owns one ``TidemarkStore/CacheState`` and enters it once a batch. Reading, decoding and writing to disk
/// run beside it.
public actor SyncCache {
    let configuration: CacheConfiguration
    let journal: any Journal
    let upstream: (any Upstream)?
    let queryUpstream: (any QueryUpstream)?
    let clock: any CacheClock
    /// Told of everything that changes the state; nil: nobody.
    let recorder: (any CacheRecorder)?
    /// The counts when the cache was opened: what it counts in its own life is what it has beyond them.
    package nonisolated let countsAtOpening: EventCounts
    /// Of all inputs.
    let pool = BatchPool()

    /// All of the cache's logic. Never touched across an `await`.
    var state: CacheState
    /// The flush under way; nil when there is none. What it took is not evicted.
    var flushTask: Task<Void, Never>?
    /// A flush that could not be written; it goes before any other.
    var failedFlush: PendingFlush?
    /// Waits for the flush interval; nil when no flush is due.
    var flushTimer: Task<Void, Never>?
    /// Gives free space of the journal back, step by step; nil when there is little.
    var shrinkTask: Task<Void, Never>?
    /// Waits until nothing was written for a while; nil when what can be given back was.
    var memoryTimer: Task<Void, Never>?
    /// Waits for the reorder window; nil when nothing is missing.
    var gapTimer: Task<Void, Never>?
    /// One for each library that is being asked for, or waits for its next attempt; bounded by `libraryCountMax`.
    var reconcileTasks: [LibraryIndex: ReconcileTask] = [:]
    /// When lost numbers are asked for again. Empty without an upstream.
    var healing = HealSchedule()
    /// Waits for the next question for lost numbers; nil when none is due.
    var healTimer: HealTimer?
    /// ``TidemarkStore/CacheState/lossCount`` when the schedule last followed it; -1 before that.
    var seenLossCount: Int64 = -1
    /// Libraries whose last question for lost numbers the upstream did not answer. Bounded by `libraryCountMax`.
    var unreachable: Set<LibraryIndex> = []
    /// Inputs that feed this cache. Bounded by who opens them.
    var inputs: [InputID: InputPosition] = [:]
    var nextInput: UInt32 = 0
    /// For lines that are in memory; nil until the first.
    var lineDecoder: EventDecoder?
    /// Batches are applied one after another, in the order they came.
    var turn = FirstComeLock()
    /// The last failure to write; nil while the journal keeps up.
    public internal(set) var storageError: StorageError?
    /// Failed attempts since the journal last kept up.
    var failedAttemptCount = 0
    /// Commits so far.
    public internal(set) var commitCount = 0
    /// Entities that were dropped from memory so far.
    public internal(set) var evictedCount = 0
    var readCounts = ReadCounts()
    /// What the program's metrics backend is told.
    var metrics: CacheMetrics
    /// Entities are read from the journal and used by one caller at a time; see ``withLoaded(_:_:)``.
    var loadTurn = FirstComeLock()
    /// Callers between asking the journal for entities and using them; nothing is evicted meanwhile.
    var loadingCount = 0
    /// Goes on with an eviction, slice by slice; nil when there is nothing to do.
    var evictionTask: Task<Void, Never>?
    /// Whoever is asked before an eviction said no: until the next commit nothing leaves memory.
    var isMemoryVetoed = false
    /// They said yes, and nothing went yet.
    var mayEvictMemory = false
    /// Asks whether entities may leave both tiers; nil when nobody is being asked.
    var roomQuestion: Task<Void, Never>?
    /// They said no: until the next commit nothing leaves both tiers.
    var isRoomVetoed = false
    /// The delegate approved the eviction from both tiers; that room has not been made yet.
    var mayMakeRoom = false
    /// The database passed its limit, and does not take as little as an eviction leaves yet.
    var isDiskRoomWanted = false
    /// The database takes more than its limit, and the last look at it made some room.
    var isDiskCrowded = false
    /// Entities in both tiers when none of them could go; 0 since some could.
    var crowdedCount: Int64 = 0
    /// Entities that left both tiers, or were reduced, so far.
    var leftCount = 0
    /// Lets go of entities that do not stay in memory; nil when there are none.
    var passingTask: Task<Void, Never>?
    /// Entities that left memory, and may be found on the disk alone, since all that is there alone was looked at in vain.
    var droppedCount = 0
    /// How many were looked at then; nil: there may be some that can go.
    var fruitlessRowCount: Int?
    /// Where looking for old rows goes on; nil: at the first.
    var evictionHand: StoredKey?
    /// Loads what came into the reserves of observed lists; nil when nothing is awaited.
    var reserveTask: Task<Void, Never>?
    /// Entities that had to stay when all were looked at last. Until the next commit, or an eighth more of them, looking
    /// again is not worth it.
    var keptCount = 0
    /// Told after each commit which libraries' cursors became durable; nil when nobody listens.
    var durabilityObserver: (@Sendable ([DurablePlace]) -> Void)?
    /// What the observer was told last, or knew from the start; one entry a library.
    var durablePlaces: [ByteString: DurablePlace] = [:]
    var observers = ObserverRegistry()
    /// Bounded by `fetchCountMax`.
    var fetches: [QueryKey: Fetch] = [:]
    var nextFetch: UInt64 = 0
    /// Fetches of a recording that is done again; empty otherwise. Bounded by `fetchCountMax` of whoever recorded it.
    var replayedFetches: [UInt64: FetchStart] = [:]
    /// When the time of observed lists is over, and when observers that are refreshed are looked at.
    var expiries = ExpiryQueue<ExpiryTarget>()
    /// Observers that asked to be refreshed. Bounded by `observerCountMax`.
    var refreshes: [SubscriptionID: Refresh] = [:]
    /// nil when none of them has a time.
    var expiryTimer: ExpiryTimer?
    /// Bounded by who waits.
    var positionWaiters: [PositionWaiter] = []
    /// The last input ended: nothing comes any more until another one is opened.
    var hasInputEnded = false
    var isClosed = false
    /// The last flush has begun: nothing changes any more.
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

    /// Opens a cache over a journal, which must not be used by anyone else.
    ///
    /// - Parameters:
    ///   - upstream: Asked for missing events; without one they are lost after the reorder window.
    ///   - queryUpstream: Asked for queries that the cache cannot answer.
    ///   - recorder: Told of everything that changes the state from here on.
    ///   - corrects: Whether a clock that is behind the last write is moved on; who repeats what was dated once says no.
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
            // Damage that lies deeper than where the journal looks first. Nobody has seen anything of it yet.
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
        // Whoever gives a cache little memory does not want as much again for lists.
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

    /// The journal may have entities of types that it should have nothing of any more. They go before anything else is written, so
    /// that they are never beside a cursor that is ahead of them.
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

    /// Layers need what they lie over in memory.
    private func activateLayers() async throws(StorageError) {
        guard state.layerCount > 0 else { return }
        let keys = state.keysToLoadForLayers()
        if !keys.isEmpty { state.install(try await journal.load(keys)) }
        state.activateLayers(at: clock.now())
    }

    // MARK: Reading

    /// An entity as it is now.
    ///
    /// - Throws: ``StorageError`` when it is not in memory and the journal cannot be read; `.closed` once the cache was closed.
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
                // A commit in between may have written or evicted what was read: look again.
                guard commitCount == self.commitCount else { continue }
                if case .elsewhere = state.lookUp(key) {
                    guard let entity = loaded.first else {
                        return missing(key)
                    }
                    // To be read is to be used.
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

    /// Every library's place in its log, in the order they were first seen.
    public func libraries() -> [LibraryStatus] { state.statuses }

    /// What became of every line and event since the database was made.
    public func counts() -> EventCounts { state.counts }

    /// Events that wait for a missing one, and the lines of a stream that are durable.
    package func progress(of input: InputID) -> (heldCount: Int, durableLineCount: Int64) {
        (state.heldCount, inputs[input]?.acknowledged ?? 0)
    }

    /// Events that wait for a missing one.
    package var heldEventCount: Int { state.heldCount }

    /// Traps when what memory holds contradicts itself.
    ///
    /// - Complexity: O(what memory holds).
    package func checkInvariants() { state.checkInvariants() }

    /// Entities in memory and on disk.
    public func entityCount() -> Int64 { state.entityCount }

    // MARK: Closing

    /// Writes what is not written, puts the journal in order and lets go of it.
    ///
    /// Calls that begin later throw, reads included; ``libraries()``, ``counts()`` and ``entityCount()`` say how things stood at the end.
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
        // Calls that wait for the journal are let through, and are written with the rest; later ones are refused.
        if !loadTurn.takeAtOnce() { await withCheckedContinuation { loadTurn.wait($0) } }
        isShut = true
        loadTurn.giveBack()
        reserveTask?.cancel()
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
