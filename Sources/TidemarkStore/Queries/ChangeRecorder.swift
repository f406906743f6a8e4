import TidemarkModel

/// Remembers the state before a unit, and logs the unit's changes for observers.
///
/// A unit is one event, batch, transaction or response; when it ends, observers are notified of all its changes
/// together. `CacheState` reads lists and payloads and asks the recorder what is needed; the recorder owns what is
/// kept. The changes of one unit bound it, and those of one batch bound the log: its owner clears it once observers
/// were notified.
struct ChangeRecorder {
    // MARK: The unit

    private(set) var isOpen = false
    /// True if a list may change in several places: the whole list is then compared, instead of collecting steps.
    private(set) var isMulti = false
    /// True if an element with a `replace` step may in fact be unchanged.
    private(set) var isUncertain = false
    /// A number that grows with each written entity; see ``QueryEntry/visit``.
    private(set) var writeStamp: Int64 = 0
    /// The observed queries that changed, each once.
    private(set) var touched: [QueryID] = []
    /// The values of observed and listed entities before the unit, by handle; empty if an entity did not exist. Values
    /// that no observer needs are left out.
    private(set) var payloadsBefore = KeptPayloads()
    /// The handles in `payloadsBefore` of which only some fields were known.
    private(set) var partialBefore: Set<ListHandle> = []
    /// The only entity whose old value a unit that is not `isMulti` logged for observed lists.
    private(set) var knownHandle: ListHandle?
    /// The handles of elements that left observed lists, once for each time. They are unpinned when the unit ends.
    private(set) var unpins: [ListHandle] = []
    /// The entities whose key changed, with the handles before and after.
    private(set) var renamed: [(from: ListHandle, to: ListHandle)] = []
    /// The layers to remove when the unit ends: their log has ended, and the new log has written one of their entities.
    private var endedLayers: [Int64] = []
    /// The observed entities that changed, in order, each once.
    private(set) var entities: [ListHandle] = []
    /// The entities of followed types that the unit may have changed, as they were before it, in the order of their
    /// first change.
    private var viewsBefore: [(key: StoredKey, view: FollowedView)] = []
    private var viewPlaces: Set<StoredKey> = []
    /// The sequence of the late event that the unit applies; nil for every other unit.
    private(set) var lateSequence: EventSequence?

    // MARK: The log

    /// The changes that observers are to be notified of, in order.
    private(set) var log: [ChangeRecord] = []
    /// The queries that have a change in the log.
    private(set) var logged: [QueryID] = []

    mutating func begin(isMulti: Bool) {
        // No input reaches it: each entry into this module opens one unit and ends it before it returns.
        precondition(!isOpen, "a unit inside a unit")
        isOpen = true
        self.isMulti = isMulti
    }

    /// Ends the unit, and forgets what it kept.
    mutating func end() {
        if !touched.isEmpty { touched.removeAll(keepingCapacity: true) }
        if !entities.isEmpty { entities.removeAll(keepingCapacity: true) }
        if !unpins.isEmpty { unpins.removeAll(keepingCapacity: true) }
        renamed = []
        knownHandle = nil
        payloadsBefore.removeAll()
        if !partialBefore.isEmpty { partialBefore.removeAll() }
        isOpen = false
        isUncertain = false
    }

    /// True if the unit kept nothing.
    var isClean: Bool { touched.isEmpty && payloadsBefore.isEmpty && viewsBefore.isEmpty }
}

/// The changes of the unit.
extension ChangeRecorder {
    /// Begins the write of one entity.
    mutating func beginWrite() { writeStamp += 1 }

    mutating func beginLate(_ sequence: EventSequence) { lateSequence = sequence }

    mutating func endLate() { lateSequence = nil }

    func hasView(of key: StoredKey) -> Bool { viewPlaces.contains(key) }

    /// Keeps an entity of a followed type as it was before the unit.
    mutating func keep(_ view: FollowedView, before key: StoredKey) {
        viewPlaces.insert(key)
        viewsBefore.append((key, view))
    }

    /// Removes and returns the entities of followed types that the unit may have changed, as they were before it.
    mutating func takeViews() -> [(key: StoredKey, view: FollowedView)] {
        guard !viewsBefore.isEmpty else { return [] }
        viewPlaces.removeAll(keepingCapacity: true)
        defer { viewsBefore = [] }
        return viewsBefore
    }

    mutating func becomeUncertain() { isUncertain = true }

    /// Adds an observed query that changes for the first time in the unit.
    mutating func noteTouched(_ query: QueryID) { touched.append(query) }

    /// Sorts the changed queries by their numbers (law L11).
    mutating func sortTouched(by number: (QueryID) -> Int64) {
        if touched.count > 1 { touched.sort { number($0) < number($1) } }
    }

    /// Keeps an entity's value as observers saw it before the unit.
    ///
    /// - Precondition: No value of the entity was kept in this unit.
    mutating func keep(_ payload: [UInt8], before handle: ListHandle, isPartial: Bool) {
        payloadsBefore.keep(payload, of: handle)
        if isPartial { partialBefore.insert(handle) }
    }

    /// Records that an observed entity changed.
    mutating func noteChanged(_ handle: ListHandle) {
        if !entities.contains(handle) { entities.append(handle) }
    }

    /// Records that the observers of an entity observe another one from now on.
    mutating func noteRenamed(_ old: ListHandle, to new: ListHandle) { renamed.append((old, new)) }

    /// Returns the handle that an entity has after the unit.
    func current(_ handle: ListHandle) -> ListHandle { renamed.first { $0.from == handle }?.to ?? handle }

    /// Keeps a handle pinned until the unit ends, because the value that observers saw is kept only while it is pinned.
    ///
    /// - Returns: False if no larger unit is open; the caller then unpins it at once.
    mutating func deferUnpin(of handle: ListHandle) -> Bool {
        guard isOpen, isMulti else { return false }
        unpins.append(handle)
        return true
    }

    mutating func unpinAtEnd(_ handle: ListHandle) { unpins.append(handle) }

    /// Records layers to remove when the unit ends, because their log has ended and nothing else settles them.
    mutating func noteEnded(_ layers: [Int64]) { endedLayers += layers }

    /// Removes and returns the recorded layers, each once, ascending.
    mutating func removeEndedLayers() -> [Int64] {
        guard !endedLayers.isEmpty else { return [] }
        defer { endedLayers = [] }
        return Set(endedLayers).sorted()
    }
}

/// The log for observers.
extension ChangeRecorder {
    /// Records which values before the unit are in its logged steps. Lags that begin later need not record them.
    mutating func noteKnown(_ steps: [HandleStep]) {
        guard !isMulti else { return }
        for case .replace(let handle, _) in steps { knownHandle = handle }
        for case .remove(let handle, _) in steps where payloadsBefore[handle] != nil { knownHandle = handle }
    }

    /// Adds a record to the log.
    mutating func append(_ record: ChangeRecord) {
        if case .query(let change) = record, change.previous == nil { logged.append(change.query) }
        log.append(record)
    }

    mutating func clearLog() {
        logged.removeAll(keepingCapacity: true)
        log.removeAll(keepingCapacity: true)
    }
}
