import TidemarkModel

/// The memory of a unit of the state before it, and the log of changes for observers.
///
/// A unit is one event, batch, transaction or answer; observers are notified of all its changes together when it ends.
/// `CacheState` reads lists and payloads and asks the recorder what is needed; the recorder owns what is kept. Bounded
/// by the changes of one unit, and the log by those of one batch: its owner clears it when observers were notified.
struct ChangeRecorder {
    // MARK: The unit

    private(set) var isOpen = false
    /// Whether a list may change in several places: then the whole list is compared, not step by step.
    private(set) var isMulti = false
    /// Whether an element with a replace step may be unchanged.
    private(set) var isUncertain = false
    /// A number that grows with each written entity; see ``QueryEntry/visit``.
    private(set) var writeStamp: Int64 = 0
    /// The observed queries that changed; each once.
    private(set) var touched: [QueryID] = []
    /// The values before the unit by handle of an observed or listed entity; empty when it did not exist. Values that
    /// no observer needs are left out.
    private(set) var payloadsBefore = KeptPayloads()
    /// The handles in `payloadsBefore` of which only some fields were known.
    private(set) var partialBefore: Set<ListHandle> = []
    /// The one entity of which a unit that is not `isMulti` logged the old value for observed lists.
    private(set) var knownHandle: ListHandle?
    /// The handles of elements that left observed lists; unpinned when the unit ends, once for each time.
    private(set) var unpins: [ListHandle] = []
    /// The entities that have another key from now on, with the handles before and after.
    private(set) var renamed: [(from: ListHandle, to: ListHandle)] = []
    /// The layers to remove when the unit ends: their log has ended, and the new one has written one of their entities.
    private var endedLayers: [Int64] = []
    /// The observed entities that changed, in order; each once.
    private(set) var entities: [ListHandle] = []
    /// The sequence of the late event that makes the unit; nil for every other unit.
    private(set) var lateSequence: EventSequence?

    // MARK: The log

    /// The changes to notify observers of, in order.
    private(set) var log: [ChangeRecord] = []
    /// The queries that have a change in the log.
    private(set) var logged: [QueryID] = []

    mutating func begin(isMulti: Bool) {
        // No input reaches it: an order of calls inside this module; each way in opens one unit and ends it before it
        // returns.
        precondition(!isOpen, "a unit inside a unit")
        isOpen = true
        self.isMulti = isMulti
    }

    /// Ends the unit, and forgets what it remembered.
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

    /// Whether a unit left nothing behind.
    var isClean: Bool { touched.isEmpty && payloadsBefore.isEmpty }
}

/// The unit's changes.
extension ChangeRecorder {
    /// Begins the write of one entity.
    mutating func beginWrite() { writeStamp += 1 }

    mutating func beginLate(_ sequence: EventSequence) { lateSequence = sequence }

    mutating func endLate() { lateSequence = nil }

    mutating func becomeUncertain() { isUncertain = true }

    /// Notes that an observed query changes for the first time in the unit.
    mutating func noteTouched(_ query: QueryID) { touched.append(query) }

    /// Puts the queries that changed into the order of their numbers (law L11).
    mutating func sortTouched(by number: (QueryID) -> Int64) {
        if touched.count > 1 { touched.sort { number($0) < number($1) } }
    }

    /// Keeps the value that observers saw of an entity before the unit.
    ///
    /// - Precondition: No value of it was kept in the unit.
    mutating func keep(_ payload: [UInt8], before handle: ListHandle, isPartial: Bool) {
        payloadsBefore.keep(payload, of: handle)
        if isPartial { partialBefore.insert(handle) }
    }

    /// Notes that an observed entity changed.
    mutating func noteChanged(_ handle: ListHandle) {
        if !entities.contains(handle) { entities.append(handle) }
    }

    /// Notes that observers of an entity observe another one from now on.
    mutating func noteRenamed(_ old: ListHandle, to new: ListHandle) { renamed.append((old, new)) }

    /// Returns the handle that an entity has after the unit.
    func current(_ handle: ListHandle) -> ListHandle { renamed.first { $0.from == handle }?.to ?? handle }

    /// Keeps a handle pinned until the unit ends: the value that observers saw is kept while it is pinned.
    ///
    /// - Returns: false when it is unpinned at once, because no larger unit is open.
    mutating func deferUnpin(of handle: ListHandle) -> Bool {
        guard isOpen, isMulti else { return false }
        unpins.append(handle)
        return true
    }

    mutating func unpinAtEnd(_ handle: ListHandle) { unpins.append(handle) }

    /// Notes layers that nothing else will settle, because their log has ended.
    mutating func noteEnded(_ layers: [Int64]) { endedLayers += layers }

    /// Removes and returns the layers that were noted, each once, ascending.
    mutating func removeEndedLayers() -> [Int64] {
        guard !endedLayers.isEmpty else { return [] }
        defer { endedLayers = [] }
        return Set(endedLayers).sorted()
    }
}

/// The log.
extension ChangeRecorder {
    /// Notes which values before the unit its logged steps contain: lags that begin later know them.
    mutating func noteKnown(_ steps: [HandleStep]) {
        guard !isMulti else { return }
        for case .replace(let handle, _) in steps { knownHandle = handle }
        for case .remove(let handle, _) in steps where payloadsBefore[handle] != nil { knownHandle = handle }
    }

    /// Adds a record.
    mutating func append(_ record: ChangeRecord) {
        if case .query(let change) = record, change.previous == nil { logged.append(change.query) }
        log.append(record)
    }

    mutating func clearLog() {
        logged.removeAll(keepingCapacity: true)
        log.removeAll(keepingCapacity: true)
    }
}
