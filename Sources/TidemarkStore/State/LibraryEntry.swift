import TidemarkModel

/// One library in memory: its gate, its reconciliation, how many entities it has.
struct LibraryEntry {
    var gate: SequenceGate
    var machine = ReconcileMachine()
    /// In memory and with the journal.
    var entityCount: Int64
    /// Of those, which the journal never has.
    var unstoredCount: Int64 = 0
    /// It was there when the cache was opened: entities that no journal has may have been lost.
    var isRecovered: Bool
    /// The journal has an older version of this entry.
    var isChanged: Bool
    /// What the last flush brought of it, or the journal had; nil before.
    var written: LibraryRecord?
    /// Something is missing, or may be: looked at by `CacheState.expireGaps`.
    var isWatched = false
    /// The upstream is to be asked without waiting for the reorder window.
    var isUrgent = false

    /// The highest sequence that an answer stands for, as far as is known: an answer may be ahead of the cursor.
    var answeredThrough: EventSequence?
    /// What observers of the libraries were told last.
    var shownPhase: LibraryPhase?
    var shownLost: [LostRange] = []

    init(
        gate: SequenceGate, entityCount: Int64, answeredThrough: EventSequence? = nil, isChanged: Bool,
        isRecovered: Bool = false
    ) {
        self.isRecovered = isRecovered
        self.answeredThrough = answeredThrough
        self.gate = gate
        self.entityCount = entityCount
        self.isChanged = isChanged
    }

    var phase: LibraryPhase {
        if machine.isActive { return .reconciling }
        if gate.missing != nil { return .gap }
        if gate.isStale { return .stale }
        return gate.cursor == nil ? .cold : .live
    }
}
