import TidemarkModel

/// One query in memory: its key, its answer, its list, and what the unit under way does to them.
///
/// Its state changes only through the methods of this file, which are named for the event that changes it. `QueryIndex`
/// keeps the entries and maintains what lies between them.
struct QueryEntry {
    let key: QueryKey
    let library: LibraryIndex
    /// The query's number, given once; orders queries wherever an order is needed (law L11).
    let number: Int64

    // MARK: The answer

    /// Whether an answer is stored; false for a query that is only observed: never answered, or cleared since.
    private(set) var isStored = false
    /// The type of the elements.
    private(set) var type: TypeIndex = 0
    /// The tags as compact JSON; empty when there are none.
    private(set) var tags: [UInt8] = []
    /// The rule as compact JSON; empty when the query declares none.
    private(set) var membershipText: [UInt8] = []
    private(set) var membership: Membership?
    private(set) var isLocal = false
    /// The time until the answer expires, in milliseconds; nil: never.
    private(set) var timeToLive: Int64?
    private(set) var asOf: EventSequence?
    /// The sequence up to which the server's answer is known to include everything: `asOf`, or the cursor when the
    /// fetch began. nil when it is not known, as after a restart, or when the log began anew since.
    private(set) var listedThrough: EventSequence?
    /// The number of the question that the answer answers: higher ones were asked later. 0 after a restart.
    private(set) var question: Int64 = 0
    /// The time of the last answer, in milliseconds since 1970.
    private(set) var storedAt: Int64 = 0
    /// The time when it was invalidated, in milliseconds since 1970; nil while it is not.
    private(set) var staleSince: Int64?
    /// The cause of ``staleSince``; nil when it is not known, as after a restart.
    private(set) var staleCause: StaleCause?
    /// The number of reads that were answered with the list.
    private(set) var hitCount: Int64 = 0

    // MARK: The list

    /// The sort key up to which the list is complete; nil: all of it is complete.
    private(set) var horizon: [UInt8]?
    var fill = FillProgress()
    /// The ordered list; bounded by ``elementCountMax(_:)``.
    private(set) var list = OrderedList()
    /// The elements that the journal had of the list, until it is read or anything changes; ``list`` is empty until
    /// then.
    private(set) var unbuilt: [QueryElement]?
    /// The list as a reader got it last; nil since it changed.
    private(set) var kept: KeptList?
    /// The nodes of elements that some layer has a change for.
    private(set) var layeredNodes: Set<ListNode> = []

    // MARK: The journal

    /// Whether the journal has an older version, or none.
    private(set) var isDirty = false
    /// Whether the journal has a row for the query, or a flush under way writes one.
    private(set) var hasRow = false

    // MARK: Places in the orders of the index, which maintains them

    /// The neighbours in the LRU order of reads.
    var readOrder = QueryLinks()
    /// The neighbours among the stored queries of one library and type.
    var typeOrder = QueryLinks()

    // MARK: Observers

    private(set) var observerCount = 0
    /// The number of observers that need each change when it happens: all except lagging ones that see whole resources.
    private(set) var listenerCount = 0
    /// The number of the newest lag of the query; 0 for none.
    private(set) var lastLag: Int64 = 0
    /// The number of units that were counted but not logged: all observers lagged, and their lags had the old values.
    private(set) var unloggedCount = 0
    /// The nodes that came to be pinned, and whose entity may have to be loaded first. Bounded by ``pinnedCountMax``;
    /// empty when that is `.max`.
    private(set) var awaited: Set<ListNode> = []
    /// The staleness that observers were last notified of.
    private(set) var shownStale = false
    /// The index in the log of the last change; nil when observers were notified of it.
    private(set) var lastChange: Int?

    // MARK: The unit under way

    private(set) var isTouched = false
    /// Whether an element was replaced in a way that need not be logged.
    private(set) var isUnlogged = false
    /// The elements that observers saw before the unit, when the unit may change several elements.
    private(set) var before: [ListHandle] = []
    var steps = HandleSteps()
    /// The unit's stamp when the list was last visited as a holder of the written entity.
    private(set) var visit: Int64 = 0

    init(key: QueryKey, library: LibraryIndex, number: Int64) {
        self.key = key
        self.library = library
        self.number = number
    }
}

/// Answers, and what makes them void.
extension QueryEntry {
    /// Takes everything that the journal has of the answer except the list.
    mutating func restore(_ record: QueryRecord, _ membership: Membership?) {
        type = record.type
        listedThrough = record.asOf
        tags = record.tags.bytes
        membershipText = record.membership.bytes
        self.membership = membership
        isLocal = record.isLocal
        timeToLive = record.timeToLive
        asOf = record.asOf
        storedAt = record.storedAt
        staleSince = record.staleSince
        horizon = record.horizon
        hasRow = true
    }

    /// Takes everything that an answer says except the list.
    mutating func adopt(
        _ head: AnswerHead, type: TypeIndex, listedThrough: EventSequence?, question: Int64, at now: Int64
    ) {
        self.type = type
        self.question = question
        tags = head.tags
        membershipText = head.membershipText
        membership = head.membership
        isLocal = head.isLocal
        timeToLive = head.timeToLive
        asOf = head.asOf
        self.listedThrough = listedThrough
        storedAt = now
        staleSince = nil
        horizon = nil
        fill.cancel()
    }

    /// Begins the list of an answer: staleness and horizon that came from writes of its elements are void.
    mutating func beginAnsweredList() { (staleSince, horizon) = (nil, nil) }

    mutating func becomeStored() { isStored = true }

    /// Begins the answer's age again: the server says that it still holds.
    mutating func renew(at now: Int64) { (storedAt, staleSince) = (now, nil) }

    /// Forgets the answer.
    mutating func becomeUnstored() {
        isStored = false
        fill.end()
        isDirty = false
    }

    mutating func becomeStale(because cause: StaleCause, at now: Int64) {
        (staleSince, staleCause) = (now, cause)
    }

    mutating func noteHit() { hitCount += 1 }

    /// Notes that the answer contradicts itself: it is stale since it was stored, unless it was stale before.
    mutating func becomeStaleSinceStored() { staleSince = staleSince ?? storedAt }

    /// Notes that the library's log has ended: its sequences mean nothing in the next one.
    mutating func endLog() { listedThrough = nil }

    /// Notes that the library's log continues after a sequence.
    ///
    /// - Returns: Whether `asOf` was above it.
    mutating func rewind(to sequence: EventSequence) -> Bool {
        listedThrough = listedThrough.map { min($0, sequence) }
        guard let asOf, asOf > sequence else { return false }
        self.asOf = sequence
        return true
    }
}

/// The list's completeness, and its forms beside the ordered one.
extension QueryEntry {
    mutating func setHorizon(_ horizon: [UInt8]?) { self.horizon = horizon }

    mutating func setUnbuilt(_ elements: [QueryElement]) { unbuilt = elements }

    /// Removes and returns the elements of a list that is not built yet; nil when it was built before.
    mutating func removeUnbuilt() -> [QueryElement]? {
        guard let elements = unbuilt else { return nil }
        unbuilt = nil
        return elements
    }

    mutating func keep(_ list: KeptList) { kept = list }

    /// Removes the list as a reader got it last.
    ///
    /// - Returns: The number of bytes that it took.
    mutating func dropKept() -> Int {
        defer { kept = nil }
        return kept?.byteCount ?? 0
    }
}

/// The elements of the list.
extension QueryEntry {
    mutating func insertElement(
        _ handle: ListHandle, sortKey: [UInt8], marks: ElementMarks, at index: Int
    ) -> ListNode {
        let node = list.insert(handle, sortKey: sortKey, marks: marks, at: index)
        if marks.contains(.isLayered) { layeredNodes.insert(node) }
        return node
    }

    mutating func removeElement(_ node: ListNode) {
        if list.marks(of: node).contains(.isLayered) { layeredNodes.remove(node) }
        list.remove(node)
    }

    /// Gives an element another sort key, and moves it.
    ///
    /// - Parameter target: The index among all elements; nil when the element stays in its place.
    mutating func resortElement(_ node: ListNode, _ sortKey: [UInt8], to target: Int?) {
        list.setSortKey(of: node, sortKey)
        if let target { list.move(node, to: target) }
    }

    mutating func setMarks(of node: ListNode, _ marks: ElementMarks) {
        list.setMarks(of: node, marks)
        if marks.contains(.isLayered) { layeredNodes.insert(node) } else { layeredNodes.remove(node) }
    }

    /// Sets the index of an element among its key's places in the reverse index.
    mutating func setPlace(of node: ListNode, _ place: Int) { list.setPlace(of: node, place) }

    mutating func setHandle(of node: ListNode, _ handle: ListHandle) { list.setHandle(of: node, handle) }

    /// Frees the list after its last element was removed.
    mutating func removeAllElements() { list.removeAll() }
}

/// The journal's row.
extension QueryEntry {
    /// - Returns: Whether the query was clean before.
    mutating func markDirty() -> Bool {
        defer { isDirty = true }
        return !isDirty
    }

    /// Notes that a flush has looked at the query.
    mutating func markClean() { isDirty = false }

    mutating func noteRowWritten() { hasRow = true }

    /// Notes that the journal's row is not valid any more.
    ///
    /// - Returns: The number of the row to remove; nil when there is none.
    mutating func voidRow() -> Int64? {
        defer { hasRow = false }
        return hasRow ? number : nil
    }
}

/// Observers.
extension QueryEntry {
    /// - Returns: Whether it is the first observer.
    mutating func beginObserving(at now: Int64) -> Bool {
        observerCount += 1
        listenerCount += 1
        guard observerCount == 1 else { return false }
        shownStale = isStale(at: now)
        return true
    }

    /// - Returns: Whether it was the last observer.
    mutating func endObserving() -> Bool {
        observerCount -= 1
        listenerCount -= 1
        return observerCount == 0
    }

    /// Notes that an observer lags.
    ///
    /// - Parameter isWhole: Whether it sees whole resources: then it needs no change when it happens.
    mutating func beginLag(_ number: Int64, isWhole: Bool) {
        lastLag = number
        if isWhole { listenerCount -= 1 }
    }

    mutating func endLag(isWhole: Bool) {
        if isWhole { listenerCount += 1 }
    }

    mutating func awaitEntity(of node: ListNode) { awaited.insert(node) }

    mutating func endAwaiting(_ node: ListNode) { awaited.remove(node) }

    mutating func endAwaiting(_ nodes: Set<ListNode>) { awaited.subtract(nodes) }

    mutating func endAwaitingAll() { awaited = [] }
}

/// The unit under way.
extension QueryEntry {
    /// Begins the query's changes in a unit.
    ///
    /// - Parameter isMulti: Whether several places of the list may change: the elements that observers saw are kept.
    mutating func beginUnit(isMulti: Bool) {
        isTouched = true
        if isMulti { before = list.shownPrefix(shownCountMax) }
    }

    mutating func noteVisit(_ stamp: Int64) { visit = stamp }

    /// Notes that an element was replaced in a way that need not be logged.
    mutating func noteUnlogged() { isUnlogged = true }

    /// Ends the unit without a record when all that it did need not be logged.
    ///
    /// - Returns: Whether that was so.
    mutating func endUnitUnlogged(isStale: Bool) -> Bool {
        defer { isUnlogged = false }
        guard isUnlogged, steps.isEmpty, isStale == shownStale else { return false }
        isTouched = false
        unloggedCount += 1
        return true
    }

    /// Ends the unit.
    ///
    /// - Returns: Its steps; ``HandleSteps/reuse(_:)`` takes the array back.
    mutating func endUnit() -> [HandleStep] {
        before = []
        isTouched = false
        return steps.removeAll()
    }

    /// Notes that a change was logged.
    ///
    /// - Returns: The index in the log of the change before it; nil when observers were notified of that one.
    mutating func noteLogged(isStale: Bool, at index: Int) -> Int? {
        shownStale = isStale
        defer { lastChange = index }
        return lastChange
    }

    /// Notes that observers were notified of everything in the log.
    mutating func noteLogCleared() { lastChange = nil }
}
