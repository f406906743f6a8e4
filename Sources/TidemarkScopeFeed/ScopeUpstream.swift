import Synchronization
public import Tidemark
public import TidemarkModel

/// The server side of all scopes of a cache: asks for their missing lines, and sends the edits in their libraries.
///
/// Pass it to the cache as `upstream` and `mutationUpstream`, and then to each ``ScopeFeed``:
///
/// ```swift
/// let scopes = ScopeUpstream()
/// let cache = try await SyncCache.open(path: "cache.db", upstream: scopes, mutationUpstream: scopes)
/// ```
///
/// A library that no scope feeds is left to the upstreams that it was made with. Without a feed that has heard its
/// library at least once, nothing of that library is sent.
public final class ScopeUpstream: Upstream, MutationUpstream {
    private struct Served {
        var requests: ScopeRequests
        var epoch: @Sendable (ByteString) async -> ByteString?
    }

    private let events: (any Upstream)?
    private let mutations: (any MutationUpstream)?
    /// The scopes by their libraries; the feeds bound them.
    private let served = Mutex<[ByteString: Served]>([:])

    /// Creates an upstream without scopes.
    ///
    /// - Parameters:
    ///   - events: The upstream of all other libraries; nil for none.
    ///   - mutations: The server for edits in all other libraries; nil for none.
    public init(events: (any Upstream)? = nil, mutations: (any MutationUpstream)? = nil) {
        self.events = events
        self.mutations = mutations
    }

    func serve(
        _ library: ByteString, _ requests: ScopeRequests, epoch: @escaping @Sendable (ByteString) async -> ByteString?
    ) {
        served.withLock { $0[library] = Served(requests: requests, epoch: epoch) }
    }

    func endServing(_ library: ByteString) { served.withLock { $0[library] = nil } }

    /// Asks the scope of a library for its missing lines.
    ///
    /// - Throws: ``/Tidemark/UpstreamError``.
    public func events(
        since sequence: EventSequence, of library: ByteString
    ) async throws(UpstreamError) -> UpstreamResponse {
        guard let scope = served.withLock({ $0[library] }) else {
            if let events { return try await events.events(since: sequence, of: library) }
            throw UpstreamError("no scope feeds the library \(library)", isFinal: true)
        }
        guard let epoch = await scope.epoch(library) else {
            throw UpstreamError("the library \(library) has no epoch", isFinal: true)
        }
        return try await scope.requests.events(since: sequence, epoch: epoch)
    }

    /// Sends an edit to the scope of its library.
    ///
    /// - Throws: ``/Tidemark/UpstreamError``.
    public nonisolated(nonsending) func send(_ mutation: SentMutation) async throws(UpstreamError) -> OptimisticCommit {
        guard let scope = served.withLock({ $0[mutation.library] }) else {
            if let mutations { return try await mutations.send(mutation) }
            throw UpstreamError("no scope feeds the library \(mutation.library) yet", retries: true)
        }
        return try await scope.requests.send(mutation)
    }
}
