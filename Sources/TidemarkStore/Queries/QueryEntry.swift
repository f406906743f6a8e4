import TidemarkModel

/// One query in memory: its key, its list, and its freshness.
struct QueryEntry {
    let key: QueryKey
    let library: LibraryIndex
    /// The query's number, given once; orders queries wherever an order is needed (law L11).
    let number: Int64

    /// Whether an answer is stored; false for a query that is only observed: never answered, or cleared since.
    var isStored = false
    /// The type of the elements.
    var type: TypeIndex = 0
    /// The tags as compact JSON; empty when there are none.
    var tags: [UInt8] = []
    /// The rule as compact JSON; empty when the query declares none.
    var membershipText: [UInt8] = []
    var membership: Membership?
    var isLocal = false
    /// The time until the answer expires, in milliseconds; nil: never.
    var timeToLive: Int64?
    var asOf: EventSequence?
    /// The sequence up to which the server's answer is known to include everything: `asOf`, or the cursor when the
    /// fetch began. nil when it is not known, as after a restart, or when the log began anew since.
    var listedThrough: EventSequence?
    /// The time of the last answer, in milliseconds since 1970.
    var storedAt: Int64 = 0
    /// The time when the query was invalidated, in milliseconds since 1970; nil while it is not.
    var staleSince: Int64?
    /// The sort key up to which the list is complete; nil: all of it is complete.
    var horizon: [UInt8]?
    /// The number of the scan of the journal's entities that completes the list; nil when none is under way.
    var fill: Int64?
    /// The sequence, of the generation below, after which an entity must be written for the scan of an answer's list to
    /// add it; nil: all entities.
    var fillAfter: EventSequence?
    var fillGeneration: UInt32 = 0
    /// The ordered list; bounded by ``elementCountMax(_:)``.
    var list = OrderedList()
    /// The elements that the journal had of the list, until it is read or anything changes; ``list`` is empty until
    /// then.
    var unbuilt: [QueryElement]?
    /// The list as a reader got it last; nil since it changed.
    var kept: KeptList?

    /// The nodes of elements that some layer has a change for.
    var layeredNodes: Set<ListNode> = []

    /// Whether the journal has an older version, or none.
    var isDirty = false
    /// Whether the journal has a row for the query, or a flush under way writes one.
    var hasRow = false

    /// The neighbours in the LRU order of reads.
    var previous = QueryIndex.none
    var next = QueryIndex.none
    /// The neighbours among the stored queries of one library and type.
    var previousOfType = QueryIndex.none
    var nextOfType = QueryIndex.none

    // MARK: Observers

    var observerCount = 0
    /// The number of observers that need each change when it happens: all except lagging ones that see whole resources.
    var listenerCount = 0
    /// The number of the newest lag of the query; 0 for none.
    var lastLag: Int64 = 0
    /// The number of units that were counted but not logged: all observers lagged, and their lags had the old values.
    var unloggedCount = 0
    /// The nodes that came to be pinned, and whose entity may have to be loaded first. Bounded by ``pinnedCountMax``; empty
    /// when that is `.max`.
    var awaited: Set<ListNode> = []
    /// The staleness that observers were last notified of.
    var shownStale = false
    /// The index in the log of the last change; nil when observers were notified of it.
    var lastChange: Int?

    // MARK: The unit under way

    var isTouched = false
    /// Whether an element was replaced in a way that need not be logged.
    var isUnlogged = false
    /// The elements that observers saw before the unit, when the unit may change several elements.
    var before: [ListHandle] = []
    var steps: [HandleStep] = []
    /// The unit's stamp when the list was last visited as a holder of the written entity.
    var visit: Int64 = 0

    init(key: QueryKey, library: LibraryIndex, number: Int64) {
        self.key = key
        self.library = library
        self.number = number
    }

    /// The number of first elements that readers see.
    var shownCountMax: Int { membership?.limit ?? .max }

    /// Returns the number of elements that are kept at most: with a limit twice as many, so that a removed one can be
    /// replaced.
    func elementCountMax(_ limits: Limits) -> Int {
        // A recording may name any limit, and a list has a last element.
        let countMax = max(1, limits.queryElementCountMax)
        guard !isLocal, let limit = membership?.limit else { return countMax }
        return min(QueryEntry.withReserve(limit), countMax)
    }

    /// The number of the first shown elements that stay in memory while the list is observed; `.max`: all of the list.
    ///
    /// A list that is evaluated over the store is whole, whatever its limit. Observers see its first elements, and as
    /// many again may take their places at once.
    var pinnedCountMax: Int {
        guard isLocal, let limit = membership?.limit else { return .max }
        return QueryEntry.withReserve(limit)
    }

    /// Adds the reserve to a limit: as many elements again, and at least ``slackCountMin``. A rule may name any limit up
    /// to 2^63-1.
    private static func withReserve(_ limit: Int) -> Int {
        let (count, isOver) = limit.addingReportingOverflow(max(limit, slackCountMin))
        return isOver ? .max : count
    }

    /// The number of kept elements beyond the limit, at least: 32, because the contents of lists with a small limit
    /// change often.
    private static let slackCountMin = 32

    /// Returns since when the list is too old or known to be wrong, in milliseconds since 1970; nil while it is fresh.
    func staleSince(at now: Int64) -> Int64? {
        guard isStored else { return 0 }
        guard let timeToLive, now.subtractingClamped(storedAt) >= timeToLive else { return staleSince }
        return min(staleSince ?? .max, storedAt.addingClamped(timeToLive))
    }

    /// Tells whether readers see the list as stale: also when an element is missing, or when layers hide more elements
    /// than are known to follow.
    func isStale(at now: Int64) -> Bool {
        staleSince(at: now) != nil || list.missingCount > 0
            || horizon != nil && !isLocal && (unbuilt?.count ?? list.shownCount) < shownCountMax
    }

    /// Whether a layer changes an element that is shown, or hides one that would be shown.
    var isPending: Bool {
        layeredNodes.contains { list.index(of: $0, among: .shown) < shownCountMax }
    }
}

/// One step of a list while its unit is open.
enum HandleStep {
    case add(ListHandle, at: Int)
    case remove(ListHandle, at: Int)
    case replace(ListHandle, at: Int)
    case move(ListHandle, from: Int, to: Int)
}
