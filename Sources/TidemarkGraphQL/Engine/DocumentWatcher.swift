import Tidemark
import TidemarkModel
import TidemarkStore

/// An observer of a document, with the data that it saw last and what it depends on.
final class DocumentWatcher {
    let subscription: SubscriptionID
    let request: GraphQLReadRequest
    let plan: OperationPlan
    let sink: any ObserverSink
    var library: ByteString { request.operation.library }

    /// The data that the observer saw last.
    var shown: ShownData
    var shownStale = false
    var shownPartial = false
    var shownDeferred: [DeferredState] = []
    /// The miss that was reported last; nil while the data is complete.
    var shownMiss: WatcherMiss?

    /// The entities that the last run looked up, with the fields that it read. Bounded by what the document reads.
    var handles: [ListHandle: WantedFields] = [:]
    var keys: [GraphQLKey: ListHandle] = [:]
    /// The queries that belong to the root fields.
    var queries: [QueryID] = []

    /// The changes that woke the watcher and that no run has included yet.
    var causes = WakeCauses()
    /// The number of changes since the observer was last notified.
    var changeCount = 0
    var isDirty = false
    /// True while entities are being loaded; then the watcher runs.
    var isLoading = false
    /// True if the sink was full and notifications are missing.
    var isLagging = false
    /// True while a fetch for the watcher is under way.
    var isFetching = false
    /// The fetch whose parts are reported to the observer; nil if its response is complete, or none is under way.
    var delivery: GraphQLFetchKey?
    /// The deferred fragments that the server could not deliver. They do not count as missing.
    var failed: [ResponseParts.FailedFragment] = []
    /// Errors of payloads that have not been reported yet.
    var untoldErrors: [JSONValue] = []
    /// The number of fetches since a change with another cause.
    var fetchCount = 0
    var isEnded = false
    /// When the first value that the observer sees becomes too old, in milliseconds since 1970; nil unless the watcher
    /// refreshes.
    var expiresAt: Int64?
    /// The task that waits for ``expiresAt``.
    var expiry: Task<Void, Never>?
    /// The pause before the next check, in milliseconds. Doubles while checks change nothing.
    var pause: Int64 = 1_000

    init(
        _ subscription: SubscriptionID, _ request: GraphQLReadRequest, _ plan: OperationPlan, sink: any ObserverSink,
        shown: GraphQLSnapshot
    ) {
        self.subscription = subscription
        self.request = request
        self.plan = plan
        self.sink = sink
        self.shown = ShownData(shown)
    }

    /// How a run handles missing fields.
    var completeness: GraphQLCompleteness {
        request.completeness == .whole && (delivery != nil || !failed.isEmpty) ? .deferred : request.completeness
    }

    /// Returns the first fragment of a reading that is missing and has not failed, as a miss of its field.
    func lacking(_ reading: GraphQLReading) -> DocumentMiss? {
        guard request.completeness == .whole else { return nil }
        guard let state = reading.deferred.first(where: { $0.state == .pending }) else { return nil }
        return DocumentMiss(path: state.path, reason: .absent, key: nil, expired: nil)
    }
}

/// Why a watched document is incomplete, in the form that its observer gets.
struct WatcherMiss: Hashable {
    var miss: DocumentMiss
    /// Why fetching the document again failed; nil if nothing was fetched.
    var error: CacheError?
    /// The number of fetches that left the data incomplete.
    var fetchCount = 0
}

/// What an observer gets besides the data itself.
struct GraphQLStatus {
    var isStale: Bool
    var asOf: EventSequence?
    var isPending: Bool
    var isPartial: Bool
    var deferred: [DeferredState]
}

extension GraphQLStatus {
    init(_ reading: GraphQLReading) {
        self.init(
            isStale: reading.isStale, asOf: reading.asOf, isPending: reading.isPending, isPartial: reading.isPartial,
            deferred: reading.deferred)
    }
}
