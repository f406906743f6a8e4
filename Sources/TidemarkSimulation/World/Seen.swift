import Tidemark
import TidemarkModel

/// The state that a cache shows at one moment at rest.
struct Seen {
    var statuses: [String: LibraryStatus] = [:]
    var counts = EventCounts()
    var heldCount = 0
    /// The pending ids of the layers, oldest first.
    var pending: [String] = []
    /// The entities by library and id; an entity that could not be read, or was evicted, is missing.
    var entities: [String: [String: Shown]] = [:]
    var lists: [(library: String, query: ServerQuery, list: Result<QueryAnswer, CacheError>)] = []
    /// The lists of observers before anything was read: a read sends them the notifications that were still missing.
    var observed: [SubscriptionID: [[UInt8]]] = [:]
}

/// One entity as a reader sees it.
struct Shown: Hashable, CustomStringConvertible {
    /// The fields; nil when the entity is not there.
    var fields: ItemFields?

    var description: String { fields?.description ?? "nothing" }
}

/// The state that is read from the cache before it is checked.
struct RawSeen: Sendable {
    struct Read: Sendable {
        var library: String
        var id: String
        /// The result of the read; nil when only the journal has the entity, or it could not be read.
        var read: EntityRead?
    }

    var statuses: [LibraryStatus] = []
    var counts = EventCounts()
    var heldCount = 0
    var pending: [PendingLayer] = []
    var reads: [Read] = []
    var lists: [(library: String, query: ServerQuery, list: Result<QueryAnswer, CacheError>)] = []
}
