import Foundation
import Tidemark
import TidemarkModel
import TidemarkSQLite

/// The cost of edits that wait to be sent: queuing them, opening a cache with them, and sending them.
enum OutboxSuite {
    static func run(isSmoke: Bool, runs: Int, into report: inout Report) async throws {
        let editCount = isSmoke ? 2_000 : 100_000
        let folder = try ScratchFolder()
        let path = folder.path("cache.db")
        let clock = ContinuousClock()
        var start = clock.now
        try await fill(path, editCount: editCount)
        let perEdit = (clock.now - start).inSeconds * 1e6 / Double(editCount)
        report.add(name: "queue an edit", value: perEdit, unit: "µs", goal: nil, hash: UInt64(editCount))
        var milliseconds: [Double] = []
        var found = 0
        for _ in 0..<runs {
            start = clock.now
            let cache = try await open(path, nil, editCount)
            found = await cache.outboxStatuses().count
            milliseconds.append((clock.now - start).inSeconds * 1e3)
            try await cache.close()
        }
        precondition(found == editCount, "\(found) edits wait, not \(editCount)")
        report.add(
            name: "restart with \(editCount) edits", values: milliseconds, unit: "ms", goal: isSmoke ? nil : 2_000,
            hash: UInt64(found))
        let peak = try await PeakByteCount.of { try await open(path, nil, editCount).close() }
        if let peak {
            report.add(
                name: "memory of a waiting edit, peak of a restart", value: Double(peak) / Double(editCount),
                unit: "bytes", goal: isSmoke ? nil : 4_096, hash: UInt64(editCount))
        }
        try await send(path, editCount: editCount, count: isSmoke ? 200 : 5_000, into: &report)
    }

    /// Measures sending to a server that answers at once. Each edit is written, sent and confirmed on the disk.
    private static func send(_ path: String, editCount: Int, count: Int, into report: inout Report) async throws {
        let (signals, signal) = AsyncStream.makeStream(of: Void.self)
        let server = InstantServer(signal: signal)
        let clock = ContinuousClock()
        let start = clock.now
        let cache = try await open(path, server, editCount)
        var sent = 0
        for await _ in signals {
            sent += 1
            if sent == count { break }
        }
        let perEdit = (clock.now - start).inSeconds * 1e6 / Double(count)
        try await cache.close()
        report.add(name: "send an edit", value: perEdit, unit: "µs", goal: nil, hash: UInt64(count))
    }

    private struct InstantServer: MutationUpstream {
        let signal: AsyncStream<Void>.Continuation

        func send(_ mutation: SentMutation) async throws(UpstreamError) -> OptimisticCommit {
            signal.yield()
            return OptimisticCommit(pendingID: mutation.pendingID, confirmed: [])
        }
    }

    /// Opens the cache with room for all edits.
    private static func open(
        _ path: String, _ server: (any MutationUpstream)?, _ editCount: Int
    ) async throws -> SyncCache {
        var configuration = CacheConfiguration()
        configuration.limits.layerCountMax = editCount
        return try await SyncCache.open(path: path, configuration: configuration, mutationUpstream: server)
    }

    /// Queues the edits, spread over a hundred keys.
    private static func fill(_ path: String, editCount: Int) async throws {
        let cache = try await open(path, nil, editCount)
        for number in 0..<editCount {
            var request = MutationRequest(method: "files.put", input: ["n": JSONValue(integerLiteral: Int64(number))])
            request.key = ByteString("k\(number % 100)")
            try await cache.begin(
                OptimisticUpdate(
                    pendingID: ByteString("p\(number)"), library: "",
                    operations: [
                        .put(type: "file", resource: Array(#"{"id":"f\#(number)","n":\#(number)}"#.utf8))
                    ], send: request))
        }
        try await cache.close()
    }
}
