import Metrics
import TidemarkModel

/// Records a cache's metrics in the program's metrics backend.
///
/// Each cache has one value of this type, owned by its actor. Values are recorded once a batch, a flush or a read,
/// never once an event. Without a backend a call costs next to nothing. Names follow the style of Prometheus:
///
/// | name | kind | labels |
/// |---|---|---|
/// | `tidemark_lines_total` | counter | |
/// | `tidemark_events_total` | counter | `outcome`: applied, duplicate, ignored, quarantined, held |
/// | `tidemark_reconciled_events_total` | counter | |
/// | `tidemark_late_events_total` | counter | |
/// | `tidemark_reads_total` | counter | `outcome`: hit, absent, deleted, evicted, expired |
/// | `tidemark_notifications_total` | counter | |
/// | `tidemark_evictions_total` | counter | |
/// | `tidemark_flush_seconds` | timer | `outcome`: committed, failed |
/// | `tidemark_entities`, `tidemark_queries`, `tidemark_observers`, `tidemark_pending`, `tidemark_memory_bytes` | gauge | |
package struct CacheMetrics: Sendable {
    /// The prefix of the names of all metrics.
    package static let prefix = "tidemark_"

    private let lines: Counter
    private let events: [Counter]
    private let reconciled: Counter
    private let late: Counter
    private let hits: Counter
    private let misses: [EntityRead.Miss: Counter]
    private let notifications: Counter
    private let evictions: Counter
    private let committedFlushes: Timer
    private let failedFlushes: Timer
    private let entityCount: Gauge
    private let queryCount: Gauge
    private let observerCount: Gauge
    private let pendingCount: Gauge
    private let memoryByteCount: Gauge

    /// The counts that were recorded last; counters are incremented by the difference.
    private var recordedCounts: EventCounts
    private var recordedEvictionCount = 0

    /// - Parameters:
    ///   - counts: The counts when the cache was opened, which are not recorded again.
    ///   - factory: The backend; nil for the one that the program set up.
    package init(counts: EventCounts = EventCounts(), factory: (any MetricsFactory)? = nil) {
        func counter(_ name: String, outcome: String? = nil) -> Counter {
            let dimensions = outcome.map { [("outcome", $0)] } ?? []
            let label = CacheMetrics.prefix + name
            return factory.map { Counter(label: label, dimensions: dimensions, factory: $0) }
                ?? Counter(label: label, dimensions: dimensions)
        }
        func timer(_ name: String, outcome: String) -> Timer {
            let label = CacheMetrics.prefix + name
            return factory.map { Timer(label: label, dimensions: [("outcome", outcome)], factory: $0) }
                ?? Timer(label: label, dimensions: [("outcome", outcome)])
        }
        func gauge(_ name: String) -> Gauge {
            let label = CacheMetrics.prefix + name
            return factory.map { Gauge(label: label, factory: $0) } ?? Gauge(label: label)
        }
        recordedCounts = counts
        lines = counter("lines_total")
        events = CacheMetrics.bins.map { counter("events_total", outcome: $0.name) }
        reconciled = counter("reconciled_events_total")
        late = counter("late_events_total")
        hits = counter("reads_total", outcome: "hit")
        var misses: [EntityRead.Miss: Counter] = [:]
        for miss in EntityRead.Miss.allCases { misses[miss] = counter("reads_total", outcome: miss.rawValue) }
        self.misses = misses
        notifications = counter("notifications_total")
        evictions = counter("evictions_total")
        committedFlushes = timer("flush_seconds", outcome: "committed")
        failedFlushes = timer("flush_seconds", outcome: "failed")
        entityCount = gauge("entities")
        queryCount = gauge("queries")
        observerCount = gauge("observers")
        pendingCount = gauge("pending")
        memoryByteCount = gauge("memory_bytes")
    }

    private static let bins: [(name: String, count: any KeyPath<EventCounts, Int64> & Sendable)] = [
        ("applied", \.applied), ("duplicate", \.duplicate), ("ignored", \.ignored), ("quarantined", \.quarantined),
        ("held", \.held),
    ]

    /// Records the counts. Called once a batch, after it was applied.
    ///
    /// - Parameter counts: All counts so far.
    package mutating func record(_ counts: EventCounts) {
        let difference = counts - recordedCounts
        recordedCounts = counts
        if difference.lines > 0 { lines.increment(by: difference.lines) }
        if difference.reconciled > 0 { reconciled.increment(by: difference.reconciled) }
        if difference.late > 0 { late.increment(by: difference.late) }
        for (bin, counter) in zip(CacheMetrics.bins, events) {
            // A held event leaves its bin when it is applied, and a counter must not decrease.
            let count = difference[keyPath: bin.count]
            if count > 0 { counter.increment(by: count) }
        }
    }

    /// Records a read. Called once for each read of an entity or a query.
    ///
    /// - Parameter miss: Why the read returned nothing; nil when it returned something.
    package func recordRead(miss: EntityRead.Miss?) {
        if let miss { misses[miss]?.increment() } else { hits.increment() }
    }

    /// Records notifications. Called once a batch or transaction.
    ///
    /// - Parameter count: The number of notifications that sinks took.
    package func recordNotifications(_ count: Int) {
        if count > 0 { notifications.increment(by: Int64(count)) }
    }

    /// Records a flush. Called once for each attempt.
    ///
    /// - Parameters:
    ///   - duration: The time from passing the flush to the journal until it was committed or failed.
    ///   - isCommitted: Whether the flush was committed; a failed one is repeated.
    package func recordFlush(_ duration: Duration, isCommitted: Bool) {
        (isCommitted ? committedFlushes : failedFlushes).record(duration: duration)
    }

    /// Records the current sizes. Called once a flush.
    ///
    /// - Parameter evictionCount: The number of entities that were evicted since the cache was opened.
    package mutating func recordSizes(
        entityCount: Int64, queryCount: Int, observerCount: Int, pendingCount: Int, memoryByteCount: Int,
        evictionCount: Int
    ) {
        self.entityCount.record(entityCount)
        self.queryCount.record(queryCount)
        self.observerCount.record(observerCount)
        self.pendingCount.record(pendingCount)
        self.memoryByteCount.record(memoryByteCount)
        if evictionCount > recordedEvictionCount { evictions.increment(by: evictionCount - recordedEvictionCount) }
        recordedEvictionCount = evictionCount
    }
}
