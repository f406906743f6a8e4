import TidemarkModel

/// The state of one library in memory: its gate, its requests to the upstream, and its entity counts.
struct LibraryEntry {
    var gate: SequenceGate
    var machine = ReconcileMachine()
    /// The first sequence that the current healing request asks for; nil if none is under way.
    var healingFrom: EventSequence?
    /// The highest sequence that the log was known to reach when missing ones were last requested. A response cannot
    /// prove that later ones do not exist.
    var askedWitness = EventSequence.beforeFirst
    /// How many entities memory and the journal have together.
    var entityCount: Int64
    /// How many of these are never stored in the journal.
    var unstoredCount: Int64 = 0
    /// True if the library existed when the cache was opened, so that entities of types that are not stored may have
    /// been lost.
    var isRecovered: Bool
    /// True if the entry may differ from its record in the journal.
    var isChanged: Bool
    /// The record in the last flush, or in the journal when it was opened; nil before the first.
    var written: LibraryRecord?
    /// True if something is or may be missing, so that `CacheState.expireGaps` checks the library.
    var isWatched = false
    /// True to ask the upstream without waiting for the reorder window.
    var isUrgent = false

    /// The highest position of a response, which may be ahead of the cursor; nil if there is none.
    var answeredThrough: EventSequence?
    /// The highest sequence known when a key's record was last forgotten: a tombstone, an evicted key, a removed
    /// entity, or a damaged one of these. A late event up to this sequence does not write an unknown key.
    var forgottenThrough: EventSequence?
    /// The sequences of late events that were held off; a copy of one changes nothing. At most ``heldOffCountMax``; one
    /// beyond that counts as new.
    var heldOff: Set<EventSequence> = []
    /// The most sequences in `heldOff`: 1,024.
    static let heldOffCountMax = 1_024
    /// The position in the log before which a response may miss something that made lists stale.
    var staleThrough = StaleThrough()
    /// True if the source of the library's events cannot be reached, so that events may be missing without a trace.
    var isCutOff = false
    /// The epoch of this library's log, if events can vanish from it without a trace; nil while none is known.
    var tracelessEpoch: ByteString?
    /// The phase that observers of libraries were last notified of.
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

    /// When the first gap, or the oldest hole that was not requested yet, was seen, in milliseconds since 1970; nil
    /// without either.
    var openSince: Int64? {
        guard let hole = gate.holeSince else { return gate.missingSince }
        return min(gate.missingSince ?? hole, hole)
    }

    /// True if nothing is missing, no unit is open and the upstream is not being asked.
    var isComplete: Bool { gate.missing == nil && gate.unit.isEmpty && gate.holes.isEmpty && !machine.isActive }

    var phase: LibraryPhase {
        if gate.missing != nil { return machine.isActive && !machine.isHealing ? .reconciling : .gap }
        if isCutOff, gate.cursor != nil { return .gap }
        if gate.isStale { return .stale }
        return gate.cursor == nil ? .cold : .live
    }
}
