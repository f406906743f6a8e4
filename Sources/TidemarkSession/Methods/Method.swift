import Tidemark
import TidemarkModel
import TidemarkStore

/// A request of a host, with its parameters parsed and checked.
///
/// - Source: Protocol/sessions.md.
enum Method: Sendable {
    case get(EntityRequest)
    case list(type: ByteString, library: ByteString, after: EntityKey?, countMax: Int)
    case observeEntity(EntityRequest)
    case transact([TransactionOperation], library: ByteString, expecting: TransactionExpectations)
    case remove(Removal)
    /// Clears a library; nil: every library.
    case clear(library: ByteString?, withHTTP: Bool)
    case put(QueryResult, QueryKey)
    case read(QueryRequest)
    case observeQuery(QueryRequest)
    case cancel(SubscriptionID)
    case invalidate(Invalidation)
    case layer(LayerRequest)
    /// Lists the pending layers of a library; nil: of every library.
    case pending(library: ByteString?)
    case outbox(OutboxMethod)
    case graph(GraphMethod)
    case inspection(InspectionMethod)
    case statistics
    case explain(EntityKey, maxAges: [ByteString: Int])
    case flush
    case caughtUp(EventSequence, library: ByteString)
    /// Reports the version of the protocol and the methods to the host.
    case initialize
    case http(HTTPMethod)

    /// The largest number of fields of one entity that a read may name.
    static let fieldCountMax = 1_000
    /// The largest number of entities of one page, followed by the number when the host sends no limit.
    static let pageCountMax: Int64 = 100_000
    static let pageCountDefault = 100
}

/// A request about the requests of pending edits.
enum OutboxMethod: Sendable {
    case pause
    case resume
    /// Lists the requests of a library; nil: of every library.
    case list(library: ByteString?)
}

/// The reason why a request is refused before it is performed.
enum MethodError: Error {
    case unknownMethod
    case params(CacheError)
}
