import TidemarkModel

/// One query in memory: what it is, what it lists, and how fresh that is.
struct QueryEntry {
    let key: QueryKey
    let library: LibraryIndex
    /// Given once; orders queries wherever an order is needed (law L11).
    let number: Int64

    /// False while only observers know of it: never answered, or cleared since.
    var isStored = false
    /// Of its elements.
    var type: TypeIndex = 0
    /// Compact JSON; empty when there are none.
    var tags: [UInt8] = []
    /// Compact JSON; empty when the query declares none.
    var membershipText: [UInt8] = []
    var membership: Membership?
    var isLocal = false
    /// Milliseconds; nil: never expires.
    var timeToLive: Int64?
    var asOf: EventSequence?
    /// The number up to which the server's answer is known to hold everything: `asOf`, or the cursor when it was asked for.
    /// nil when nobody knows, as after a restart, or when the log began anew since.
    var listedThrough: EventSequence?
    /// Milliseconds since 1970 of the last answer.
    var storedAt: Int64 = 0
    /// Milliseconds since 1970; nil while nothing invalidated it.
    var staleSince: Int64?
    /// The sort key up to which the list is whole; nil: the list is whole.
    var horizon: [UInt8]?
    /// The evaluation under way of a local query, while the journal's entities are not all looked at.
    var fill: Int64?
    /// What is filled up is of an answer, and was written after this sequence of the generation below; nil: everything.
    var fillAfter: EventSequence?
    var fillGeneration: UInt32 = 0
    /// Bounded by ``elementCountMax(_:)``.
    var list = OrderedList()
    /// What the journal had of the list, while nobody looked at it and nothing changed; ``list`` is empty then.
    var unbuilt: [QueryElement]?
    /// As a reader got it last; nil since something of it changed.
    var kept: KeptList?

    /// Nodes of elements that some layer has a change for.
    var layeredNodes: Set<UInt32> = []

    /// The journal has an older version, or none.
    var isDirty = false
    /// The journal has a row for it, or a flush under way writes one.
    var hasRow = false

    /// Neighbours in the order of the last read.
    var previous = QueryIndex.none
    var next = QueryIndex.none
    /// Neighbours among the stored queries of one library and type.
    var previousOfType = QueryIndex.none
    var nextOfType = QueryIndex.none

    // MARK: Observers

    var observerCount = 0
    /// Observers that need to see each change as it happens: all but those who are behind and see whole resources.
    var listenerCount = 0
    /// The number of the newest lag that there was; 0 for none.
    var lastLag: Int64 = 0
    /// Units of which nothing was logged but that they were: everybody was behind, and knew what stood there before.
    var unloggedCount = 0
    /// Nodes that came to be pinned, and whose entity may have to be loaded first. Bounded by ``pinnedCountMax``; empty where
    /// that is no bound.
    var awaited: Set<UInt32> = []
    /// What observers were told last.
    var shownStale = false
    /// Index in the log of its last change; nil when that was told.
    var lastChange: Int?

    // MARK: The unit under way

    var isTouched = false
    /// An element was replaced, of which nothing needs to be logged.
    var isUnlogged = false
    /// What observers saw before the unit, when it may change several elements.
    var before: [UInt32] = []
    var steps: [HandleStep] = []
    /// The unit's stamp, when a holder of the entity that is being written was looked at.
    var visit: Int64 = 0

    init(key: QueryKey, library: LibraryIndex, number: Int64) {
        self.key = key
        self.library = library
        self.number = number
    }

    /// How many of the first elements readers see.
    var shownCountMax: Int { membership?.limit ?? .max }

    /// Elements that are kept: with a limit as many again, so that one that leaves can be replaced.
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

    /// 32: lists with a small limit change their whole content often.
    private static let slackCountMin = 32

    /// Since when the list is too old or known to be wrong; nil while it is fresh.
    func staleSince(at now: Int64) -> Int64? {
        guard isStored else { return 0 }
        guard let timeToLive, now.subtractingClamped(storedAt) >= timeToLive else { return staleSince }
        return min(staleSince ?? .max, storedAt.addingClamped(timeToLive))
    }

    /// Whether a reader is told that the list is stale: also when it misses an element, or when layers take away more
    /// than is known of it.
    func isStale(at now: Int64) -> Bool {
        staleSince(at: now) != nil || list.missingCount > 0
            || horizon != nil && !isLocal && (unbuilt?.count ?? list.shownCount) < shownCountMax
    }

    /// Whether a layer has a change for an element that is shown, or takes one away that would be.
    var isPending: Bool {
        layeredNodes.contains { list.index(of: $0, among: .shown) < shownCountMax }
    }
}

/// One step of a list while its unit is under way.
enum HandleStep {
    case add(UInt32, at: Int)
    case remove(UInt32, at: Int)
    case replace(UInt32, at: Int)
    case move(UInt32, from: Int, to: Int)
}
