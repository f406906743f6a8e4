import Foundation
import Synchronization
import Tidemark
import TidemarkModel
import TidemarkSQLite

/// This library, set up as it comes but for one thing: changes are flushed for throughput (`FlushPolicy.bulk`).
///
/// What it does: an `IngestStream` over the file's descriptor, into a cache over one SQLite file (`synchronous` FULL), and
/// `flush()` inside the timed phase, so everything is durable when a phase ends. 100 lists are stored as answers of a
/// server and observed by 100 tasks with `cache.observe`, each with values that `JSONDecoder` makes in that task. The
/// update phase ends when every observer was told of everything: what a slow one missed came merged and counts as told.
///
/// Single events are given to `cache.ingest`; latency is until the observing task has its value. The task that sends
/// waits by yielding to the others, as it would between events of a stream. A list is read as JSON,
/// `list_decoded_ms` as values. An optimistic edit is a patch of one field of an observed file and its rollback: `optimistic_us` until
/// both were seen, `optimistic_durable_us` with both on the disk.
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

/// The same with 16 MB of memory for entities: less than what is observed takes, which is never evicted.
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

/// The same with the flushes of a host that watches changes as they come (`FlushPolicy.interactive`).
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
