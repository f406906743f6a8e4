import Tidemark
import TidemarkHTTPRecords
import TidemarkModel
import TidemarkStore

/// The moment at which a fetch of entities was begun.
struct FetchBeginning: Hashable, Sendable {
    /// The cursor of the library then.
    var cursor: EventSequence?
}

/// Changes to stored responses and to the entities that are made of them. Each value is one transaction.
enum HTTPTransaction: Hashable, Sendable {
    case changes([HTTPChange])
    /// Stores entities.
    case entities(QueryResult, [HTTPChange])
    /// Renews the entities and the list of a response that the server has confirmed.
    case renewal(QueryResult, QueryKey, asOf: EventSequence?, [HTTPChange])
    /// Deletes an entity that the server says is gone.
    case deletion(EntityKey, asOf: EventSequence?, [HTTPChange])
}
