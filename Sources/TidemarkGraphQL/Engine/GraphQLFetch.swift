import Tidemark
import TidemarkModel
import TidemarkStore

/// What makes fetches equal: the document in the form that is sent, the operation and its variables. Equal fetches
/// share one request.
struct GraphQLFetchKey: Hashable, Sendable {
    var document: ByteString
    var operationName: ByteString?
    var variables: ByteString
    var library: ByteString
    /// The request as it was written, if its document names the place where a response is stored. Another document with
    /// the same text for the server may name another place.
    var written: GraphQLRequest?
    /// 0, or the number of a fetch that began while an equal one was under way, because something had happened that the
    /// response of the older one cannot include.
    var round: UInt64 = 0

    /// The key of the first among equal fetches.
    var first: GraphQLFetchKey {
        var key = self
        key.round = 0
        return key
    }
}

/// A request to the upstream under way, for all who wait for the same response.
struct GraphQLFetch {
    let number: UInt64
    let start: (start: FetchStart, number: UInt64)
    /// The request that started the fetch. Its plan decides how the response is stored.
    let request: GraphQLRequest
    var waiters: [GraphQLWaiter]
    /// The watchers whose data is fetched again.
    var watchers: [SubscriptionID] = []
    let task: Task<Void, Never>
    /// Ends the fetch if its response, or the next part of one, does not arrive in time.
    var timer: Task<Void, Never>
    /// The parts that have arrived; nil before the first part was reported to observers or stored.
    var delivery: GraphQLDelivery?
    /// The watchers that started with a part of the response.
    var observers: [SubscriptionID] = []
    /// The response that has arrived and is being stored.
    var parts: ResponseParts?
}

/// A reader that waits for an upstream's response to a document.
struct GraphQLWaiter: Sendable {
    let request: GraphQLReadRequest
    let sink: (any ObserverSink)?
    let stores: Bool
    /// Why the cache could not answer; nil if it was not read.
    var cacheReason: String?
    /// If true, the cache is read again when the upstream fails.
    var fallsBack = false
    let reply: @Sendable (Result<GraphQLReply, CacheError>) -> Void

    init(
        _ request: GraphQLReadRequest, sink: (any ObserverSink)?, stores: Bool,
        reply: @escaping @Sendable (Result<GraphQLReply, CacheError>) -> Void
    ) {
        self.request = request
        self.sink = sink
        self.stores = stores
        self.reply = reply
    }

    func after(_ refusal: GraphQLEngine.GraphQLRefusal) -> GraphQLWaiter {
        var waiter = self
        waiter.cacheReason = refusal.reason
        return waiter
    }
}

/// A subscription to a server.
struct DocumentStream {
    let subscription: SubscriptionID
    let request: GraphQLRequest
    let plan: OperationPlan
    let sink: any ObserverSink
    /// True after the server has accepted it once.
    var isConnected = false
    /// The task that reads its payloads.
    var task: Task<Void, Never>?
}
