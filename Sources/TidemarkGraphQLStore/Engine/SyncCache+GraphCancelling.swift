import Tidemark
import TidemarkStore

/// Reads that are given up before their answer has come.
///
/// - Source: Protocol/graphql.md, endpoints.
extension SyncCache {
    /// Ends a read that was cancelled. When nobody else waits for its fetch, the fetch ends, too.
    ///
    /// A read that waits for nothing yet finds its token cancelled when it begins to wait.
    ///
    /// - Complexity: O(fetches and those who wait for them).
    package func cancelGraph(_ token: GraphReadToken) {
        dropWaiters { $0.request.token === token }
    }

    /// Takes waiters out of all fetches, and ends the fetches that nobody wants any more.
    func dropWaiters(where isGone: (GraphWaiter) -> Bool) {
        for (key, fetch) in graph.fetches where fetch.waiters.contains(where: isGone) {
            graph.fetches[key]?.waiters.removeAll(where: isGone)
            for waiter in fetch.waiters where isGone(waiter) { waiter.reply(.failure(SyncCache.cancelledRead)) }
            abandonUnwanted(key)
        }
    }

    static let cancelledRead = CacheError(.upstreamFailed, "the read was cancelled")
}
