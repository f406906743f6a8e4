import Logging
import TidemarkModel
import TidemarkStore
import TidemarkWire

/// A normalized cache that is fed by change events, kept correct and durable.
///
/// The actor owns one ``TidemarkStore/CacheState`` and is entered once a batch. Reading, decoding and writing to disk
/// run beside it.
public actor SyncCache {
    package nonisolated let configuration: CacheConfiguration
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
    /// The keeper of watched documents; nil where nobody uses GraphQL.
    package internal(set) var graphHost: (any GraphHost)?
    var refreshes = RefreshSchedule()
    var fetches = FetchTable()
    /// The callers and the observer that are notified when a cursor moves, or is durable.
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
                let commitCount = flushes.commitCount
                let loaded = try await readingJournal { () throws(StorageError) in try await journal.read(stored) }
                tallies.read(loaded == nil ? 0 : 1, at: clock.now())
                // A commit during the load may have written or evicted the entity: look it up again.
                guard commitCount == flushes.commitCount else { continue }
                if case .elsewhere = state.lookUp(key) {
                    guard let entity = loaded else { return missing(key) }
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
        (state.heldCount, inputs.durableLineCount(of: input))
    }

    /// The number of events that wait for a missing one.
    package var heldEventCount: Int { state.heldCount }

    /// Traps when the structures in memory contradict each other.
    ///
    /// - Complexity: O(contents of memory).
    package func checkInvariants() { state.checkInvariants() }

    /// Returns the number of entities in memory and on disk.
    public func entityCount() -> Int64 { state.entityCount }

    // MARK: Progress

    /// The last failure to write; nil while the journal keeps up.
    public var storageError: StorageError? { flushes.error }

    /// The number of commits so far.
    public var commitCount: Int { flushes.commitCount }

    /// The durations of flushes since the cache was opened.
    package var flushTimes: FlushTimes { flushes.times }

    /// The number of entities that were evicted so far.
    public var evictedCount: Int { eviction.evictedCount }

    // MARK: Closing

    /// Writes all unwritten changes, tidies the journal and releases it.
    ///
    /// Calls that begin later throw, reads included; ``libraries()``, ``counts()`` and ``entityCount()`` return the
    /// final state.
    ///
    /// - Throws: ``StorageError`` when the last changes could not be written; they are then lost.
    public func close() async throws(StorageError) {
        guard lifeCycle.beginClosing() else { return }
        timers.cancelInput()
        stopOutbox()
        for attempt in outbox.attempts.values { attempt.task?.cancel() }
        await failFetches("the cache is being closed")
        releasePositionWaiters()
        timers.cancelFlush()
        upstreamRequests.cancelAll()
        // Calls that wait for the journal are let through, and are written with the rest; later ones are refused.
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
}
