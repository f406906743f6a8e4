import TidemarkModel

/// A reader that waits for an upstream's answer to a query.
struct FetchWaiter: Sendable {
    let request: QueryRequest
    let sink: (any ObserverSink)?
    /// Whether the answer is stored in the cache for this reader.
    let storesAnswer: Bool
    /// The reason why the cache could not answer, for the error when the upstream fails too; nil when the cache was not
    /// asked.
    var cacheReason: String?
    /// Whether the cache is read again when the upstream has failed.
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
