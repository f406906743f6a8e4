import Tidemark
import TidemarkModel
import TidemarkStore

/// One observer of a document.
final class GraphWatcher {
    let subscription: SubscriptionID
    let request: GraphReadRequest
    let plan: OperationPlan
    let sink: any ObserverSink
    var library: ByteString { request.operation.library }

    /// The data that the observer saw last.
    var shown: ShownData
    var shownStale = false
    var shownPartial = false
    var shownDeferred: [DeferredState] = []
    /// The miss that the observer was notified of last; nil while its answer is whole.
    var shownMiss: GraphWatcherMiss?

    /// The entities that the last run looked up, with the fields that it wanted. Bound: what the document reads.
    var handles: [ListHandle: WantedFields] = [:]
    var keys: [GraphKey: ListHandle] = [:]
    /// The queries that stand for the root fields.
    var queries: [QueryID] = []

    /// The changes that woke it and that it has not looked at.
    var causes = WakeCauses()
    /// Changes since the observer was notified.
    var changeCount = 0
    var isDirty = false
    /// Entities are being loaded; the run continues then.
    var isLoading = false
    /// The sink had no room.
    var isLagging = false
    /// A fetch for it is under way.
    var isFetching = false
    /// The fetch whose parts it is notified of; nil when its answer is whole, or nothing comes.
    var delivery: GraphFetchKey?
    /// The deferred fragments whose data will not come: they do not count as missing.
    var failed: [AnswerParts.FailedFragment] = []
    /// Errors of payloads that it was not notified of yet.
    var untoldErrors: [JSONValue] = []
    /// Fetches since a change of another cause.
    var fetchCount = 0
    var isEnded = false
    /// The time when the first value in its view becomes too old, in milliseconds since 1970; nil unless it refreshes.
    var expiresAt: Int64?
    /// The task that waits for that moment.
    var expiry: Task<Void, Never>?
    /// The pause before the next look, in milliseconds; doubles while looking changes nothing.
    var pause: Int64 = 1_000

    init(
        _ subscription: SubscriptionID, _ request: GraphReadRequest, _ plan: OperationPlan, sink: any ObserverSink,
        shown: GraphSnapshot
    ) {
        self.subscription = subscription
        self.request = request
        self.plan = plan
        self.sink = sink
        self.shown = ShownData(shown)
    }

    /// The treatment of missing fields when it is run.
    var completeness: GraphCompleteness {
        request.completeness == .whole && (delivery != nil || !failed.isEmpty) ? .deferred : request.completeness
    }

    /// Returns the first fragment of a reading that is missing and did not fail, as a miss of its field.
    func lacking(_ reading: GraphReading) -> GraphMiss? {
        guard request.completeness == .whole else { return nil }
        guard let state = reading.deferred.first(where: { $0.state == .pending }) else { return nil }
        return GraphMiss(path: state.path, reason: .absent, key: nil, expired: nil)
    }
}

/// The reason why a watched document is incomplete, as its observer is notified.
struct GraphWatcherMiss: Hashable {
    var miss: GraphMiss
    /// The reason why fetching the document again failed; nil when nobody was asked.
    var error: CacheError?
    /// The fetches that did not help; 0 when there was none.
    var fetchCount = 0
}

/// The state of an answer beside its data, as an observer is told it.
struct GraphStatus {
    var isStale: Bool
    var asOf: EventSequence?
    var isPending: Bool
    var isPartial: Bool
    var deferred: [DeferredState]
}

extension GraphStatus {
    init(_ reading: GraphReading) {
        self.init(
            isStale: reading.isStale, asOf: reading.asOf, isPending: reading.isPending, isPartial: reading.isPartial,
            deferred: reading.deferred)
    }
}
