import TidemarkModel

/// One library in memory: its gate, its reconciliation, how many entities it has.
struct LibraryEntry {
    var gate: SequenceGate
    var machine = ReconcileMachine()
    /// The first number of the question for lost numbers that is under way; nil when there is none.
    var healingFrom: EventSequence?
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
    /// The highest sequence that was known when something of a key was last forgotten: a tombstone, an evicted key, a
    /// removed entity, or any of them that was damaged. A key of which nothing is known is not written by a late event up to it.
    var forgottenThrough: EventSequence?
    /// Late events that were held off: a copy of one says nothing new. At most ``heldOffCountMax``; what is not among them
    /// counts as heard for the first time.
    var heldOff: Set<EventSequence> = []
    /// 1,024.
    static let heldOffCountMax = 1_024
    /// The status that observers of the libraries were notified of last.
    var shownPhase: LibraryPhase?
    var shownLost: [LostRange] = []

    init(
        gate: SequenceGate, entityCount: Int64, answeredThrough: EventSequence? = nil,
        forgottenThrough: EventSequence? = nil, isChanged: Bool, isRecovered: Bool = false
    ) {
        self.isRecovered = isRecovered
        self.answeredThrough = answeredThrough
        self.forgottenThrough = forgottenThrough
        self.gate = gate
        self.entityCount = entityCount
        self.isChanged = isChanged
    }

    /// When the first gap, or a hole that nobody was asked for, was seen, in milliseconds since 1970; nil when there is neither.
    var openSince: Int64? {
        guard let hole = gate.holeSince else { return gate.missingSince }
        return min(gate.missingSince ?? hole, hole)
    }

    var phase: LibraryPhase {
        if gate.missing != nil { return machine.isActive && !machine.isHealing ? .reconciling : .gap }
        if gate.isStale { return .stale }
        return gate.cursor == nil ? .cold : .live
    }
}
