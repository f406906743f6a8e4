import Tidemark
import TidemarkModel
import TidemarkStore

/// The upstream of an outbox that holds GraphQL mutations: it sends these to the GraphQL server, and all other requests
/// to another upstream.
///
/// - Source: Protocol/graphql.md, mutations in the outbox.
package struct GraphQLMutations: MutationUpstream {
    /// A mutation that a server has performed, and its result.
    package struct Answer: Sendable {
        /// The mutation.
        package var mutation: GraphQLMutation
        /// The server's data, errors and extensions.
        package var result: DocumentResult
    }

    /// The cache keeps this value, so the cache outlives everything that is sent.
    private unowned let cache: SyncCache
    private let other: (any MutationUpstream)?
    private let answered: @Sendable (Answer) -> Void

    /// Creates an upstream.
    ///
    /// - Parameters:
    ///   - cache: A cache with a graph engine.
    ///   - other: The upstream for all other requests; if nil, they fail.
    ///   - answered: Called with each result that was stored; it must not block.
    package init(
        _ cache: SyncCache, other: (any MutationUpstream)?, answered: @escaping @Sendable (Answer) -> Void = { _ in }
    ) {
        self.cache = cache
        self.other = other
        self.answered = answered
    }

    /// Sends a mutation to the GraphQL server, or another request to the other upstream.
    package nonisolated(nonsending) func send(_ mutation: SentMutation) async throws(UpstreamError) -> OptimisticCommit
    {
        if mutation.method == GraphQLMutation.method {
            return try await cache.withWing(GraphQLEngine.self) {
                [answered] (engine, cache) async throws(UpstreamError) in
                try await engine.send(mutation, in: cache, answered)
            }
        }
        guard let other else {
            throw UpstreamError(
                "there is nobody who is asked \(mutation.method): only documents have a server", isRefusal: true,
                code: "no_upstream")
        }
        return try await other.send(mutation)
    }
}
