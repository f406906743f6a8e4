import TidemarkModel

/// A reader that waits for an upstream's response to a query.
struct FetchWaiter: Sendable {
    let request: QueryRequest
    let sink: (any ObserverSink)?
    /// Whether to store the response in the cache for this reader.
    let storesAnswer: Bool
    /// Why the cache could not answer, for the error when the upstream fails too; nil when the cache was not asked.
    var cacheReason: String?
    /// Whether to read the cache again if the upstream fails.
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
