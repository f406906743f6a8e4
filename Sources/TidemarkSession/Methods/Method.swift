import Tidemark
import TidemarkModel
import TidemarkStore

/// A request of the host, with checked parameters.
///
/// - Source: Protocol/sessions.md.
enum Method: Sendable {
    case get(EntityRequest)
    case list(type: ByteString, library: ByteString, after: EntityKey?, countMax: Int)
    case observeEntity(EntityRequest)
    case transact([TransactionOperation], library: ByteString, expecting: TransactionExpectations)
    case remove(Removal)
    /// Clears a library; nil clears every library.
    case clear(library: ByteString?, withHTTP: Bool)
    case put(QueryResult, QueryKey)
    case read(QueryRequest)
    case observeQuery(QueryRequest)
    case cancel(SubscriptionID)
    case invalidate(Invalidation)
    case layer(LayerRequest)
    /// Lists the pending layers of a library; nil lists those of every library.
    case pending(library: ByteString?)
    case outbox(OutboxMethod)
    case graph(GraphMethod)
    case inspection(InspectionMethod)
    case statistics
    case explain(EntityKey, maxAges: [ByteString: Int])
    case flush
    case caughtUp(EventSequence, library: ByteString)
    /// Returns the protocol version and the names of all methods.
    case initialize
    case http(HTTPMethod)

    /// The maximum number of fields that a read may name.
    static let fieldCountMax = 1_000
    /// The maximum number of entities per page, and the number without `limit`.
    static let pageCountMax: Int64 = 100_000
    static let pageCountDefault = 100
}

/// A request about the outbox.
enum OutboxMethod: Sendable {
    case pause
    case resume
    /// Lists the requests of a library; nil lists those of every library.
    case list(library: ByteString?)
}

/// Why a request is refused before it is performed.
enum MethodError: Error {
    case unknownMethod
    case params(CacheError)
}
