import Logging
import TidemarkModel
import TidemarkStore
import TidemarkJSON

/// A normalized cache that change events keep up to date, with its data in memory and in a journal.
///
/// ```swift
/// struct Photo: Resource {
///     static let resourceType = "photo"
///     var id: String
///     var stars: Int
/// }
/// let line = #"{"ResourceChanged":{"resource_type":"photo","resource":{"id":"1","stars":5}}}"#
/// try await cache.ingest(Array(line.utf8))
/// print(try await cache.entity(Photo.self, id: "1")?.stars ?? 0)  // 5
/// for try await update in cache.observe(Photo.self, id: "1") { print(update.value?.stars ?? 0) }
/// ```
///
/// `SyncCache.open(path:)` of the module `TidemarkSQLite` opens a cache over one file, and `SyncCache.inMemory()` of
/// `TidemarkTesting` one for tests.
///
/// All methods may be called from any task. The actor owns the state and is entered once for each batch of events;
/// reading and decoding input, and writing to the disk, run beside it.
public actor SyncCache {
    /// The configuration, with its flush policy adapted to the limits of memory and disk.
    package nonisolated let configuration: CacheConfiguration
    package nonisolated let journal: any Journal
    let upstream: (any Upstream)?
    let queryUpstream: (any QueryUpstream)?
    /// The clock of the cache, in milliseconds since 1970.
    package nonisolated let clock: any CacheClock
    /// Records every change of the state; nil when nothing is recorded.
    let recorder: (any CacheRecorder)?
    /// The counts when the cache was opened, to be subtracted from later ones.
    package nonisolated let countsAtOpening: EventCounts
    /// The buffers that all inputs share.
    let pool = BatchPool()

    /// The logic of the cache. Code never holds on to it across an `await`.
    var state: CacheState
    private(set) var lifeCycle = LifeCycle.open
    var turns = CallTurns()
    var inputs = InputTable()

    var flushes = FlushSchedule()
    var eviction = EvictionState()
    /// The requests to the upstream for missing events and for lost numbers.
    var upstreamRequests = UpstreamRequests()
    var timers = CacheTimers()
    /// The requests of pending edits, and the attempts to send them.
    var outbox = OutboxDriver()

    var observers = ObserverRegistry()
    /// The parts attached to this cache, with observers of their own.
    var wings = WingTable()
    var refreshes = RefreshSchedule()
    var fetches = FetchTable()
    /// The callers to wake when a cursor moves, and the observer to notify when one is durable.
    var progress = ProgressWatch()
    var tallies: CacheTallies

    init(
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
        tallies = CacheTallies(metrics: CacheMetrics(counts: state.counts))
        countsAtOpening = state.counts
        self.state = state
    }

    // MARK: Reading

    /// Returns the stored state of an entity as bytes.
    ///
    /// ```swift
    /// switch try await cache.entity(EntityKey(type: "photo", id: "1")) {
    /// case .found(let resource): print(String(decoding: resource.bytes, as: UTF8.self))
    /// case .missing(let miss): print(miss)  // absent, evicted or deleted
    /// }
    /// ```
    ///
    /// Optimistic edits are included; age limits do not apply. ``entity(_:id:maxAges:maxStale:library:)`` returns a
    /// Swift value, and ``read(_:)`` applies age limits.
    ///
    /// - Throws: ``StorageError`` when the journal is needed and cannot be read; `.closed` after ``close()``.
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
                let commitCount = flushes.commitCount
                let loaded = try await readingJournal { () throws(StorageError) in try await journal.read(stored) }
                tallies.read(loaded == nil ? 0 : 1, at: clock.now())
                // A commit during the load may have written or evicted the entity. If there was one, look the entity up
                // again.
                guard commitCount == flushes.commitCount else { continue }
                if case .elsewhere = state.lookUp(key) {
                    guard let entity = loaded else { return missing(key) }
                    // A read counts as a use for the LRU order.
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

    /// Returns the status of every library, in the order in which the cache first saw them.
    ///
    /// ```swift
    /// for status in await cache.libraries() {
    ///     print(status.library, status.phase, status.cursor?.rawValue ?? 0, status.lost.count)
    /// }
    /// ```
    ///
    /// After ``close()`` this returns the final status.
    public func libraries() -> [LibraryStatus] { state.statuses.filter { !ErasedLibrary.isName($0.library) } }

    /// Returns the counts of all lines and events since the database was made. After ``close()`` these are the final
    /// counts.
    public func counts() -> EventCounts { state.counts }

    /// Returns how many events wait for a missing one, and how many lines of an input are durable.
    package func progress(of input: InputID) -> (heldCount: Int, durableLineCount: Int64) {
        (state.heldCount, inputs.durableLineCount(of: input))
    }

    /// The number of events that wait for a missing one.
    package var heldEventCount: Int { state.heldCount }

    /// Traps if the structures in memory contradict each other.
    ///
    /// - Complexity: O(contents of memory).
    package func checkInvariants() { state.checkInvariants() }

    /// Returns the number of entities in memory and on the disk, each counted once. After ``close()`` this is the final
    /// number.
    public func entityCount() -> Int64 { state.entityCount }

    // MARK: Progress

    /// The last failure to write; nil while the journal works.
    public var storageError: StorageError? { flushes.error }

    /// The number of commits since the cache was opened.
    public var commitCount: Int { flushes.commitCount }

    /// The durations of flushes since the cache was opened.
    package var flushTimes: FlushTimes { flushes.times }

    /// The number of entities that were evicted or reduced since the cache was opened.
    public var evictedCount: Int { eviction.evictedCount }

    // MARK: Closing

    /// Writes all unwritten changes, tidies the journal and releases it.
    ///
    /// ```swift
    /// try await cache.close()
    /// ```
    ///
    /// Calls that begin later throw, reads included; only ``libraries()``, ``counts()`` and ``entityCount()`` still
    /// return the final state. A second call does nothing.
    ///
    /// A suspended cache is closed as it is: everything is written already. If requests that ended meanwhile have
    /// changed something, its database is opened once more. Input that waits is refused.
    ///
    /// - Throws: ``StorageError`` when the last changes could not be written; they are then lost.
    public func close() async throws(StorageError) {
        await takeRestTurn()
        defer { turns.rest.release() }
        guard !isClosed else { return }
        if lifeCycle.isSuspended {
            guard isAnythingUnwritten || flushes.hasFailed else { return try await closeAtRest(nil) }
            do throws(StorageError) {
                try await wake(recreating: false)
            } catch {
                return try await closeAtRest(error)
            }
        }
        beginClosing()
        turns.activity.open()
        await endRequests()
        // Calls that wait for the journal may finish, and are written with the rest; later ones are refused.
        await takeLoadTurn()
        lifeCycle.seal()
        turns.loads.release()
        observers.reserveLoad?.cancel()
        var failure: StorageError?
        if flushes.awaitsOpening, !isAnythingUnwritten { flushes.task?.cancel() }
        do throws(StorageError) {
            try await writeAll()
            try await enforceLimits()
        } catch {
            failure = error
        }
        flushes.task?.cancel()
        await releaseAtEnd()
        inputs.finishAcknowledgements()
        try await journal.close()
        if let failure { throw failure }
    }

    /// Refuses new calls.
    private func beginClosing() {
        guard lifeCycle.beginClosing() else { preconditionFailure("a cache that is \(lifeCycle) is closed") }
    }

    /// Ends timers, requests and waits.
    private func endRequests() async {
        timers.cancelInput()
        stopOutbox()
        outbox.cancelAll()
        await failFetches("the cache is being closed")
        releasePositionWaiters()
        timers.cancelFlush()
        upstreamRequests.cancelAll()
    }

    /// Closes a suspended cache without opening its database again. Input that waits is refused.
    ///
    /// - Parameter failure: Why changes that are only in memory cannot be written; nil when there are none.
    private func closeAtRest(_ failure: StorageError?) async throws(StorageError) {
        beginClosing()
        lifeCycle.seal()
        turns.activity.open()
        await endRequests()
        observers.reserveLoad?.cancel()
        inputs.finishAcknowledgements()
        try await journal.close()
        if let failure { throw failure }
    }

    // MARK: Suspending

    /// Refuses new changes, before the last flush of a suspension.
    ///
    /// - Returns: False when the cache is suspended already.
    func beginSuspending() -> Bool { lifeCycle.beginSuspending() }

    /// Stops all flushes, before the journal closes its file.
    func comeToRest() {
        lifeCycle.rest()
        timers.cancelFlush()
    }

    /// Accepts changes again, after the journal has opened its file.
    func endSuspension() { lifeCycle.resume() }
}
