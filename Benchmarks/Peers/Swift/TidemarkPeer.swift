import Foundation
import Synchronization
import Tidemark
import TidemarkModel
import TidemarkSQLite

/// This library with its defaults, except that changes are flushed for throughput (`FlushPolicy.bulk`).
///
/// Work: an `IngestStream` over the file's descriptor feeds a cache over one SQLite file (`synchronous` FULL).
/// `flush()` is inside the timed phase, so everything is durable when a phase ends. 100 lists are stored as answers of
/// a server, and 100 tasks observe them with `cache.observe`, each with values that `JSONDecoder` makes in that task.
/// The update phase ends when every observer has received everything. A slow observer receives changes merged; each of
/// them counts.
///
/// Single events are passed to `cache.ingest`; latency is the time until the observing task has its value. The sending
/// task waits by yielding to the others, as it would between the events of a stream. A list is read as JSON, and for
/// `list_decoded_ms` as values. An optimistic edit is a patch of one field of an observed file and its rollback:
/// `optimistic_us` until both were visible, `optimistic_durable_us` until both are on the disk.
enum TidemarkPeer: Peer {
    static func measure(_ workload: Workload, in scratch: URL) async throws -> Figures {
        var configuration = CacheConfiguration()
        configuration.flush = .bulk
        return try await TidemarkMeasurement(workload, in: scratch, configuration).run(as: "tidemark")
    }

    static func answer(_ id: String, in scratch: URL) async throws -> String? {
        try await TidemarkMeasurement.answer(id, in: scratch)
    }

    static func answerList(in scratch: URL) async throws -> String? {
        try await TidemarkMeasurement.answerList(in: scratch)
    }
}

/// The same peer with 16 MB of memory for entities. That is less than the observed entities take, and these are never
/// evicted.
enum SmallTidemarkPeer: Peer {
    static func measure(_ workload: Workload, in scratch: URL) async throws -> Figures {
        var configuration = CacheConfiguration()
        configuration.flush = .bulk
        configuration.memoryByteCountMax = 16 << 20
        return try await TidemarkMeasurement(workload, in: scratch, configuration).run(as: "tidemark-small")
    }

    static func answer(_ id: String, in scratch: URL) async throws -> String? {
        try await TidemarkMeasurement.answer(id, in: scratch)
    }

    static func answerList(in scratch: URL) async throws -> String? {
        try await TidemarkMeasurement.answerList(in: scratch)
    }
}

/// The same peer with the flushes for a host that shows changes as they happen (`FlushPolicy.interactive`).
enum InteractiveTidemarkPeer: Peer {
    static func measure(_ workload: Workload, in scratch: URL) async throws -> Figures {
        var configuration = CacheConfiguration()
        configuration.flush = .interactive
        return try await TidemarkMeasurement(workload, in: scratch, configuration).run(as: "tidemark-interactive")
    }

    static func answer(_ id: String, in scratch: URL) async throws -> String? {
        try await TidemarkMeasurement.answer(id, in: scratch)
    }

    static func answerList(in scratch: URL) async throws -> String? {
        try await TidemarkMeasurement.answerList(in: scratch)
    }
}
