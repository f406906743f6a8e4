import Tidemark
import TidemarkModel

/// What a cache shows at one moment at rest.
struct Seen {
    var statuses: [String: LibraryStatus] = [:]
    var counts = EventCounts()
    var heldCount = 0
    /// Layers, oldest first.
    var pending: [String] = []
    /// By library and id; what could not be looked at, or was evicted, is missing.
    var entities: [String: [String: Shown]] = [:]
    var lists: [(library: String, query: ServerQuery, list: Result<QueryAnswer, CacheError>)] = []
    /// What observers had before anything was read: a read tells them what they were not told yet.
    var observed: [SubscriptionID: [[UInt8]]] = [:]
}

/// What a reader is shown of one entity.
struct Shown: Hashable, CustomStringConvertible {
    /// nil: it is not there.
    var fields: ItemFields?

    var description: String { fields?.description ?? "nothing" }
}

/// What is taken out of the cache, before it is looked at.
struct RawSeen: Sendable {
    struct Read: Sendable {
        var library: String
        var id: String
        /// nil: the journal alone has it, or could not be read.
        var read: EntityRead?
    }

    var statuses: [LibraryStatus] = []
    var counts = EventCounts()
    var heldCount = 0
    var pending: [PendingLayer] = []
    var reads: [Read] = []
    var lists: [(library: String, query: ServerQuery, list: Result<QueryAnswer, CacheError>)] = []
}
