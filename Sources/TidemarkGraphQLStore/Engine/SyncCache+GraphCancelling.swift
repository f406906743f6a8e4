import Tidemark
import TidemarkStore

/// Reads that are cancelled before their result is there.
///
/// - Source: Protocol/graphql.md, endpoints.
extension SyncCache {
    /// Ends a cancelled read. If nobody else waits for its fetch, the fetch ends, too.
    ///
    /// A read that does not wait for a fetch yet finds its token cancelled before it starts to wait.
    ///
    /// - Complexity: O(fetches and those who wait for them).
    package func cancelGraph(_ token: GraphReadToken) {
        dropWaiters { $0.request.token === token }
    }

    /// Removes waiters from all fetches, and ends the fetches that nobody needs any more.
    func dropWaiters(where isGone: (GraphWaiter) -> Bool) {
        for (key, fetch) in graph.fetches where fetch.waiters.contains(where: isGone) {
            graph.fetches[key]?.waiters.removeAll(where: isGone)
            for waiter in fetch.waiters where isGone(waiter) { waiter.reply(.failure(SyncCache.cancelledRead)) }
            abandonUnwanted(key)
        }
    }

    static let cancelledRead = CacheError(.upstreamFailed, "the read was cancelled")
}
