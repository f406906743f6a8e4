import TidemarkModel

/// One query in memory: its key, its answer, its list, and what the current unit changes in them.
///
/// Its state changes only through the methods of this file, each named for the event that causes the change.
/// `QueryIndex` keeps the entries and maintains what connects them.
struct QueryEntry {
    let key: QueryKey
    let library: LibraryIndex
    /// The query's number, never reused. It orders queries wherever an order is needed (law L11).
    let number: Int64

    // MARK: The answer

    /// True if an answer is stored. False for a query that is only observed: never answered, or cleared since.
    private(set) var isStored = false
    /// The resource type of the elements.
    private(set) var type: TypeIndex = 0
    /// The tags as compact JSON; empty if there are none.
    private(set) var tags: [UInt8] = []
    /// The membership rule as compact JSON; empty if there is none.
    private(set) var membershipText: [UInt8] = []
    private(set) var membership: Membership?
    private(set) var isLocal = false
    /// How long the answer stays fresh, in milliseconds; nil if it never expires.
    private(set) var timeToLive: Int64?
    private(set) var asOf: EventSequence?
    /// The sequence up to which the response is known to include every event: `asOf`, or the cursor when its fetch
    /// began. nil if unknown, as after a restart or once a new log began.
    private(set) var listedThrough: EventSequence?
    /// The number of the request that was answered; requests made later have higher ones. 0 after a restart.
    private(set) var question: Int64 = 0
    /// When the last answer was stored, in milliseconds since 1970.
    private(set) var storedAt: Int64 = 0
    /// When the answer was invalidated, in milliseconds since 1970; nil while it is not.
    private(set) var staleSince: Int64?
    /// Why ``staleSince`` was set; nil if unknown, as after a restart.
    private(set) var staleCause: StaleCause?
    /// How many reads were answered with the list.
    private(set) var hitCount: Int64 = 0

    // MARK: The list

    /// The sort key up to which the list is complete; nil if the whole list is complete.
    private(set) var horizon: [UInt8]?
    var fill = FillProgress()
    /// The ordered list; ``elementCountMax(_:)`` bounds it.
    private(set) var list = OrderedList()
    /// The elements as the journal stored them, until the list is first read or changed; ``list`` is empty until then.
    private(set) var unbuilt: [QueryElement]?
    /// The list as it was last given to a reader; nil once it changed.
    private(set) var kept: KeptList?
    /// The nodes of the elements that some layer changes.
    private(set) var layeredNodes: Set<ListNode> = []

    // MARK: The journal

    /// True if the journal has an older version of the query, or none.
    private(set) var isDirty = false
    /// True if the journal has a row for the query, or a flush under way creates one.
    private(set) var hasRow = false

    // MARK: Places in the orders of the index, which maintains them

    /// The neighbours in the LRU order of reads.
    var readOrder = QueryLinks()
    /// The neighbours among the stored queries of one library and type.
    var typeOrder = QueryLinks()

    // MARK: Observers

    private(set) var observerCount = 0
    /// How many observers need each change when it happens: all except lagging ones that see whole resources.
    private(set) var listenerCount = 0
    /// The number of the query's newest lag; 0 for none.
    private(set) var lastLag: Int64 = 0
    /// How many units changed the list without a record in the log, because all observers lagged and their lags had the
    /// old values.
    private(set) var unloggedCount = 0
    /// The nodes that became pinned and whose entities may have to be loaded first. ``pinnedCountMax`` bounds it; empty
    /// if that is `.max`.
    private(set) var awaited: Set<ListNode> = []
    /// The staleness that observers were last notified of.
    private(set) var shownStale = false
    /// The index of the query's last change in the log; nil once observers were notified of it.
    private(set) var lastChange: Int?

    // MARK: The unit under way

    private(set) var isTouched = false
    /// True if an element was replaced in a way that need not be logged.
    private(set) var isUnlogged = false
    /// The elements that observers saw before the unit, if the unit may change several places of the list.
    private(set) var before: [ListHandle] = []
    var steps = HandleSteps()
    /// The stamp of the last write for which the list was visited as a holder of the written entity.
    private(set) var visit: Int64 = 0

    init(key: QueryKey, library: LibraryIndex, number: Int64) {
        self.key = key
        self.library = library
        self.number = number
    }
}

/// Storing and invalidating answers.
extension QueryEntry {
    /// Restores everything that the journal has of the answer, except the list.
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

    /// Stores everything that a response says, except the list.
    mutating func adopt(
        _ head: QueryResultHead, type: TypeIndex, listedThrough: EventSequence?, question: Int64, at now: Int64
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

    /// Begins the list of a new answer: clears the staleness and the horizon that writes of its elements caused.
    mutating func beginAnsweredList() { (staleSince, horizon) = (nil, nil) }

    mutating func becomeStored() { isStored = true }

    /// Restarts the age of the answer, because the server confirmed it.
    mutating func renew(at now: Int64) { (storedAt, staleSince) = (now, nil) }

    /// Removes the answer.
    mutating func becomeUnstored() {
        isStored = false
        fill.end()
        isDirty = false
    }

    mutating func becomeStale(because cause: StaleCause, at now: Int64) {
        (staleSince, staleCause) = (now, cause)
    }

    mutating func noteHit() { hitCount += 1 }

    /// Marks the answer as stale since it was stored, because it contradicts itself. No effect if it was stale before.
    mutating func becomeStaleSinceStored() { staleSince = staleSince ?? storedAt }

    /// Forgets the log position of the answer, because that log has ended.
    mutating func endLog() { listedThrough = nil }

    /// Lowers the log positions of the answer, because the log continues after an earlier sequence.
    ///
    /// - Returns: True if `asOf` was above that sequence.
    mutating func rewind(to sequence: EventSequence) -> Bool {
        listedThrough = listedThrough.map { min($0, sequence) }
        guard let asOf, asOf > sequence else { return false }
        self.asOf = sequence
        return true
    }
}

/// How complete the list is, and its other forms.
extension QueryEntry {
    mutating func setHorizon(_ horizon: [UInt8]?) { self.horizon = horizon }

    mutating func setUnbuilt(_ elements: [QueryElement]) { unbuilt = elements }

    /// Removes and returns the elements of a list that is not built yet; nil if it is built.
    mutating func removeUnbuilt() -> [QueryElement]? {
        guard let elements = unbuilt else { return nil }
        unbuilt = nil
        return elements
    }

    mutating func keep(_ list: KeptList) { kept = list }

    /// Removes the list as it was last given to a reader.
    ///
    /// - Returns: How many bytes it took.
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
    /// - Parameter target: The new index among all elements; nil if the element stays in its place.
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

    /// Frees the list's memory, after its last element was removed.
    mutating func removeAllElements() { list.removeAll() }
}

/// The query's row in the journal.
extension QueryEntry {
    /// Marks the query as changed since the last flush.
    ///
    /// - Returns: True if it was clean before.
    mutating func markDirty() -> Bool {
        defer { isDirty = true }
        return !isDirty
    }

    /// Records that a flush has handled the query.
    mutating func markClean() { isDirty = false }

    mutating func noteRowWritten() { hasRow = true }

    /// Records that the journal's row is no longer valid.
    ///
    /// - Returns: The number of the row to remove; nil if there is none.
    mutating func voidRow() -> Int64? {
        defer { hasRow = false }
        return hasRow ? number : nil
    }
}

/// Observers of the list.
extension QueryEntry {
    /// Adds an observer.
    ///
    /// - Returns: True if it is the first one.
    mutating func beginObserving(at now: Int64) -> Bool {
        observerCount += 1
        listenerCount += 1
        guard observerCount == 1 else { return false }
        shownStale = isStale(at: now)
        return true
    }

    /// Removes an observer.
    ///
    /// - Returns: True if it was the last one.
    mutating func endObserving() -> Bool {
        observerCount -= 1
        listenerCount -= 1
        return observerCount == 0
    }

    /// Records that an observer lags.
    ///
    /// - Parameter isWhole: True if it sees whole resources; it then does not need each change when it happens.
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

/// The current unit.
extension QueryEntry {
    /// Begins the query's changes in a unit.
    ///
    /// - Parameter isMulti: True if several places of the list may change: the elements that observers saw are then
    ///   kept.
    mutating func beginUnit(isMulti: Bool) {
        isTouched = true
        if isMulti { before = list.shownPrefix(shownCountMax) }
    }

    mutating func noteVisit(_ stamp: Int64) { visit = stamp }

    /// Records that an element was replaced in a way that need not be logged.
    mutating func noteUnlogged() { isUnlogged = true }

    /// Ends the unit without a record, if none of its changes need be logged.
    ///
    /// - Returns: True if the unit ended so.
    mutating func endUnitUnlogged(isStale: Bool) -> Bool {
        defer { isUnlogged = false }
        guard isUnlogged, steps.isEmpty, isStale == shownStale else { return false }
        isTouched = false
        unloggedCount += 1
        return true
    }

    /// Ends the unit.
    ///
    /// - Returns: Its steps; ``HandleSteps/reuse(_:)`` accepts the array back.
    mutating func endUnit() -> [HandleStep] {
        before = []
        isTouched = false
        return steps.removeAll()
    }

    /// Records that a change was logged.
    ///
    /// - Returns: The index of the query's previous change in the log; nil if observers were notified of that one.
    mutating func noteLogged(isStale: Bool, at index: Int) -> Int? {
        shownStale = isStale
        defer { lastChange = index }
        return lastChange
    }

    /// Records that observers were notified of everything in the log.
    mutating func noteLogCleared() { lastChange = nil }
}
