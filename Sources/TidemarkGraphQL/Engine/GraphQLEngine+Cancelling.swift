import Tidemark
import TidemarkStore

/// Reads that are cancelled before their result is there.
///
/// - Source: Protocol/graphql.md, endpoints.
extension GraphQLEngine {
    /// Ends a cancelled read. If nobody else waits for its fetch, the fetch ends, too.
    ///
    /// A read that does not wait for a fetch yet finds its token cancelled before it starts to wait.
    ///
    /// - Complexity: O(fetches and those who wait for them).
    package func cancel(_ token: GraphQLReadToken, in cache: isolated SyncCache) {
        dropWaiters(in: cache) { $0.request.token === token }
    }

    /// Removes waiters from all fetches, and ends the fetches that nobody needs any more.
    func dropWaiters(in cache: isolated SyncCache, where isGone: (GraphQLWaiter) -> Bool) {
        for (key, fetch) in fetches where fetch.waiters.contains(where: isGone) {
            fetches[key]?.waiters.removeAll(where: isGone)
            for waiter in fetch.waiters where isGone(waiter) { waiter.reply(.failure(GraphQLEngine.cancelledRead)) }
            abandonUnwanted(key, in: cache)
        }
    }

    static let cancelledRead = CacheError(.upstreamFailed, "the read was cancelled")
}
