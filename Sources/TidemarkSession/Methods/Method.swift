import Tidemark
import TidemarkModel
import TidemarkStore

/// What a host can ask for, with its params read and checked.
///
/// - Source: Protocol/sessions.md.
enum Method: Sendable {
    case get(EntityRequest)
    case list(type: ByteString, library: ByteString, after: EntityKey?, countMax: Int)
    case observeEntity(EntityRequest)
    case transact([TransactionOperation], library: ByteString, expecting: TransactionExpectations)
    case remove(Removal)
    /// nil: every library.
    case clear(library: ByteString?)
    case put(QueryResult, QueryKey)
    case read(QueryRequest)
    case observeQuery(QueryRequest)
    case cancel(SubscriptionID)
    case invalidate(Invalidation)
    case layer(LayerRequest)
    /// nil: of every library.
    case pending(library: ByteString?)
    case statistics
    case explain(EntityKey, maxAges: [ByteString: Int])
    case flush
    case caughtUp(EventSequence, library: ByteString)

    /// Fields of one entity that a read may name.
    static let fieldCountMax = 1_000
    /// Entities of one page, and as many when the host does not say.
    static let pageCountMax: Int64 = 100_000
    static let pageCountDefault = 100
}

/// Why a request is not performed.
enum MethodError: Error {
    case unknownMethod
    case params(CacheError)
}
