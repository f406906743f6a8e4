import TidemarkModel

/// Somebody who waits for an upstream's answer to a query.
struct FetchWaiter: Sendable {
    let request: QueryRequest
    let sink: (any ObserverSink)?
    /// Whether the answer goes into the cache on this reader's behalf.
    let storesAnswer: Bool
    /// Why the cache did not do, for the error when the upstream does not either; nil when it was not asked.
    var cacheReason: String?
    /// The cache is asked again when the upstream failed.
    var fallsBack = false
    let reply: @Sendable (Result<QueryReply, CacheError>) -> Void

    init(
        request: QueryRequest, sink: (any ObserverSink)?, storesAnswer: Bool,
        reply: @escaping @Sendable (Result<QueryReply, CacheError>) -> Void
    ) {
        self.request = request
        self.sink = sink
        self.storesAnswer = storesAnswer
        self.reply = reply
    }

    func afterMiss(_ miss: SyncCache.QueryMiss) -> FetchWaiter {
        var waiter = self
        waiter.cacheReason = miss.reason
        return waiter
    }

    func fallingBack() -> FetchWaiter {
        var waiter = self
        waiter.fallsBack = true
        return waiter
    }
}
