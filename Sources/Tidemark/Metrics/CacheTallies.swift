import TidemarkModel
import TidemarkStore

/// The counts of a cache since it was opened that are not part of its state: reads by outcome, and work of the journal.
struct CacheTallies {
    /// The metrics in the program's metrics backend.
    var metrics: CacheMetrics
    /// The number of reads that returned something.
    private(set) var hitCount: Int64 = 0
    /// The number of reads that returned nothing, by reason, with one entry for each reason.
    private(set) var missCounts: [EntityRead.Miss: Int64] = Dictionary(
        uniqueKeysWithValues: EntityRead.Miss.allCases.map { ($0, 0) })
    /// How many entities were read from the journal by key.
    private(set) var reads = RateWindow()
    /// How many entities were written to the journal or removed from it.
    private(set) var writes = RateWindow()
    /// The bytes of the entities that were written.
    private(set) var storedByteCount: Int64 = 0

    /// - Parameter metrics: The metrics; tests pass some with a backend of their own.
    init(metrics: CacheMetrics) {
        self.metrics = metrics
    }

    /// Counts a read of an entity or a query.
    ///
    /// - Parameter miss: Why the read returned nothing; nil when it returned something.
    mutating func answered(miss: EntityRead.Miss?) {
        if let miss { missCounts[miss, default: 0] += 1 } else { hitCount += 1 }
        metrics.recordRead(miss: miss)
    }

    /// Counts entities that were read from the journal by key.
    mutating func read(_ count: Int, at now: Int64) { reads.add(count, at: now) }

    /// Counts the rows of a committed flush.
    ///
    /// - Complexity: O(rows.count).
    mutating func wrote(_ rows: [FlushRow], at now: Int64) {
        writes.add(rows.count, at: now)
        storedByteCount += rows.reduce(0) { $0 + Int64($1.payloadCount) }
    }
}
