import Tidemark
import TidemarkModel
import TidemarkStore

/// Equal fetches are one: the document as it is sent, the operation and its variables.
struct GraphFetchKey: Hashable, Sendable {
    var document: ByteString
    var operationName: ByteString?
    var variables: ByteString
    var library: ByteString
    /// The request as it was written where its document says in what place an answer is stored: another document with
    /// the same text for the server may say another place.
    var written: GraphRequest?
    /// 0, or the number of the fetch that began although an equal one was under way: something had happened since that
    /// the answer of the older one cannot know of.
    var round: UInt64 = 0

    /// The key of the first fetch of equal ones.
    var first: GraphFetchKey {
        var key = self
        key.round = 0
        return key
    }
}

/// A request to the upstream that is under way, for all who wait for the same answer.
struct GraphFetch {
    let number: UInt64
    let start: (start: FetchStart, number: UInt64)
    /// The request that began it, as it was written: its answer is stored by that one.
    let request: GraphRequest
    var waiters: [GraphWaiter]
    /// The watchers whose answer is fetched again.
    var watchers: [SubscriptionID] = []
    let task: Task<Void, Never>
    /// Ends it when its answer, or the next part of one, does not come in time.
    var timer: Task<Void, Never>
    /// The parts of the answer that have come; nil before observers were notified of its first part, or it was stored.
    var delivery: GraphDelivery?
    /// The watchers that were answered with a part.
    var observers: [SubscriptionID] = []
    /// The answer that came and is being stored.
    var parts: AnswerParts?
}

/// A reader that waits for an upstream's answer to a document.
struct GraphWaiter: Sendable {
    let request: GraphReadRequest
    let sink: (any ObserverSink)?
    let stores: Bool
    /// The reason why the cache could not answer; nil when it was not asked.
    var cacheReason: String?
    /// The cache is read again when the upstream has failed.
    var fallsBack = false
    let reply: @Sendable (Result<GraphReply, CacheError>) -> Void

    init(
        _ request: GraphReadRequest, sink: (any ObserverSink)?, stores: Bool,
        reply: @escaping @Sendable (Result<GraphReply, CacheError>) -> Void
    ) {
        self.request = request
        self.sink = sink
        self.stores = stores
        self.reply = reply
    }

    func after(_ refusal: SyncCache.GraphRefusal) -> GraphWaiter {
        var waiter = self
        waiter.cacheReason = refusal.reason
        return waiter
    }
}

/// A subscription that a server feeds.
struct GraphStream {
    let subscription: SubscriptionID
    let request: GraphRequest
    let plan: OperationPlan
    let sink: any ObserverSink
    /// Whether a server has ever answered it.
    var isConnected = false
    /// The task that reads it.
    var task: Task<Void, Never>?
}
