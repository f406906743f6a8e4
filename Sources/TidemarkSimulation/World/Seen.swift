import Tidemark
import TidemarkLiveViews
import TidemarkModel

/// What a cache shows at one moment at rest.
struct Seen {
    var statuses: [String: LibraryStatus] = [:]
    var counts = EventCounts()
    var heldCount = 0
    /// The pending ids of the layers, oldest first.
    var pending: [String] = []
    /// The entities by library and id. Entities that were evicted, or could not be read, are missing.
    var entities: [String: [String: Shown]] = [:]
    var lists: [(library: String, query: ServerQuery, list: Result<QueryAnswer, CacheError>)] = []
    /// The lists of observers before anything was read, because a read first sends them outstanding notifications.
    var observed: [SubscriptionID: [[UInt8]]] = [:]
    /// The views, each with its result once it is there.
    var views: [(place: ViewSink.Place, outcome: Outcome<ShownView>)] = []
}

/// A view as a reader sees it.
struct ShownView: Sendable {
    let result: Result<ViewReply, CacheError>
    /// What the view's observer had been told when the result was made; nil if it was not observed yet.
    let followed: ViewSink.Followed?
}

/// One entity as a reader sees it.
struct Shown: Hashable, CustomStringConvertible {
    /// The fields; nil if the entity does not exist.
    var fields: ItemFields?

    var description: String { fields?.description ?? "nothing" }
}

/// What was read from the cache, before it is checked.
struct RawSeen: Sendable {
    struct Read: Sendable {
        var library: String
        var id: String
        /// The result of the read; nil if only the journal has the entity, or it could not be read.
        var read: EntityRead?
    }

    var statuses: [LibraryStatus] = []
    var counts = EventCounts()
    var heldCount = 0
    var pending: [PendingLayer] = []
    var reads: [Read] = []
    var lists: [(library: String, query: ServerQuery, list: Result<QueryAnswer, CacheError>)] = []
    var views: [(place: ViewSink.Place, outcome: Outcome<ShownView>)] = []
}
