import Logging
import Synchronization
import Testing
import Tidemark
import TidemarkModel
import TidemarkTestKit
import TidemarkTesting

/// A cache with a clock and an upstream for queries that a test drives by hand. Everything is in library `a` and of
/// type `file`.
struct QueryFixture: Sendable {
    let cache: SyncCache
    let clock: ManualClock
    let upstream: ScriptedQueryUpstream
    let input: HandInput

    static func open(
        _ journal: any Journal = MemoryJournal(), clock: ManualClock = ManualClock(), hasUpstream: Bool = true,
        _ configure: (inout CacheConfiguration) -> Void = { _ in }
    ) async throws -> QueryFixture {
        var configuration = CacheConfiguration()
        configuration.logger.logLevel = .critical
        configuration.reorderWindow = .milliseconds(1 << 40)
        configure(&configuration)
        let upstream = ScriptedQueryUpstream()
        let cache = try await SyncCache.open(
            configuration: configuration, journal: journal, queryUpstream: hasUpstream ? upstream : nil, clock: clock)
        return QueryFixture(cache: cache, clock: clock, upstream: upstream, input: try await HandInput(into: cache))
    }

    static func key(_ input: String = "{}") throws -> QueryKey {
        try QueryKey(library: "a", method: "m", input: Array(input.utf8))
    }

    static func result(_ resources: [String]) -> QueryResult {
        QueryResult(resourceType: "file", resources: resources.map { Array($0.utf8) })
    }

    func put(
        _ resources: [String], _ input: String = "{}", _ change: (inout QueryResult) -> Void = { _ in }
    ) async throws {
        var result = QueryFixture.result(resources)
        change(&result)
        try await cache.store(result, for: try QueryFixture.key(input))
    }

    /// Begins a read; its answer may come later.
    func begin(
        _ input: String = "{}", _ policy: FetchPolicy = .cacheFirst, sink: FoldingSink? = nil,
        _ change: (inout QueryRequest) -> Void = { _ in }
    ) async throws -> Reply {
        let reply = Reply()
        var request = QueryRequest(try QueryFixture.key(input), policy: policy)
        change(&request)
        await cache.read(
            request, observing: sink, reply: { reply.take($0, sink) }, later: { reply.takeLater($0) })
        return reply
    }

    /// Reads, and waits for the answer.
    func read(
        _ input: String = "{}", _ policy: FetchPolicy = .cacheOnly, sink: FoldingSink? = nil,
        _ change: (inout QueryRequest) -> Void = { _ in }
    ) async throws -> Result<QueryReply, CacheError> {
        let reply = try await begin(input, policy, sink: sink, change)
        #expect(await eventually { reply.isThere })
        return try #require(reply.replies.first)
    }

    /// Returns the stored list, however stale; nil for a miss.
    func stored(_ input: String = "{}") async throws -> [String]? {
        switch try await read(input, .cacheOnly, { $0.allowsStale = true }) {
        case .success(let reply): reply.texts
        case .failure: nil
        }
    }

    func isStale(_ input: String = "{}") async throws -> Bool? {
        try await read(input, .cacheOnly, { $0.allowsStale = true }).get().answer.isStale
    }
}

extension QueryReply {
    var texts: [String] { answer.entities.map { String(decoding: $0, as: UTF8.self) } }
}

/// The replies to a read, in order.
final class Reply: Sendable {
    private let state = Mutex<([Result<QueryReply, CacheError>], [Result<QueryAnswer, CacheError>])>(([], []))

    func take(_ result: Result<QueryReply, CacheError>, _ sink: FoldingSink?) {
        if case .success(let reply) = result, let subscription = reply.subscription {
            sink?.begin(subscription, reply.answer.entities, isStale: reply.answer.isStale)
        }
        state.withLock { $0.0.append(result) }
    }

    func takeLater(_ result: Result<QueryAnswer, CacheError>) { state.withLock { $0.1.append(result) } }

    var replies: [Result<QueryReply, CacheError>] { state.withLock { $0.0 } }
    var laters: [Result<QueryAnswer, CacheError>] { state.withLock { $0.1 } }
    var isThere: Bool { !replies.isEmpty }
    var subscription: SubscriptionID? {
        guard case .success(let reply)? = replies.first else { return nil }
        return reply.subscription
    }
}
