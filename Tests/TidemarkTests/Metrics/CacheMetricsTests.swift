import Metrics
import MetricsTestKit
import TestTraits
import Testing
import Tidemark
import TidemarkModel

@Suite(.pooled) struct CacheMetricsTests {
    private let backend = TestMetrics()

    private func total(_ name: String, _ outcome: String? = nil) throws -> Int64 {
        try backend.expectCounter("tidemark_\(name)", outcome.map { [("outcome", $0)] } ?? []).totalValue
    }

    @Test func `counters get the increments since the last batch`() throws {
        var counts = EventCounts()
        counts.lines = 100
        counts.applied = 90
        var metrics = CacheMetrics(counts: counts, factory: backend)
        counts.lines = 110
        counts.applied = 95
        counts.ignored = 2
        counts.quarantined = 3
        metrics.record(counts)
        counts.lines = 111
        counts.duplicate = 1
        counts.reconciled = 4
        counts.late = 6
        metrics.record(counts)
        metrics.record(counts)
        #expect(try total("lines_total") == 11)
        #expect(try total("events_total", "applied") == 5)
        #expect(try total("events_total", "ignored") == 2)
        #expect(try total("events_total", "quarantined") == 3)
        #expect(try total("events_total", "duplicate") == 1)
        #expect(try total("events_total", "held") == 0)
        #expect(try total("reconciled_events_total") == 4)
        #expect(try total("late_events_total") == 6)
    }

    @Test func `releasing held events never decreases a counter`() throws {
        var metrics = CacheMetrics(factory: backend)
        var counts = EventCounts()
        counts.held = 5
        metrics.record(counts)
        counts.held = 0
        counts.applied = 5
        metrics.record(counts)
        #expect(try total("events_total", "held") == 5)
        #expect(try total("events_total", "applied") == 5)
    }

    @Test func `reads, notifications, flushes and sizes are recorded`() throws {
        var metrics = CacheMetrics(factory: backend)
        metrics.recordRead(miss: nil)
        metrics.recordRead(miss: nil)
        metrics.recordRead(miss: .evicted)
        metrics.recordNotifications(0)
        metrics.recordNotifications(7)
        metrics.recordFlush(.milliseconds(250), isCommitted: true)
        metrics.recordFlush(.seconds(2), isCommitted: false)
        for evictions in [3, 5] {
            metrics.recordSizes(
                entityCount: 10, queryCount: 2, observerCount: 1, pendingCount: 4, memoryByteCount: 1 << 20,
                evictionCount: evictions)
        }
        #expect(try total("reads_total", "hit") == 2)
        #expect(try total("reads_total", "evicted") == 1)
        #expect(try total("reads_total", "absent") == 0)
        #expect(try total("notifications_total") == 7)
        #expect(try total("evictions_total") == 5)
        #expect(
            try backend.expectTimer("tidemark_flush_seconds", [("outcome", "committed")]).values == [250_000_000])
        #expect(try backend.expectTimer("tidemark_flush_seconds", [("outcome", "failed")]).values == [2_000_000_000])
        let gauges = ["entities", "queries", "observers", "pending", "memory_bytes"]
        #expect(try gauges.map { try backend.expectGauge("tidemark_" + $0).lastValue } == [10, 2, 1, 4, 1_048_576])
    }
}
