import TidemarkModel

/// The state of one library in memory: its gate, its reconciliation, its entity counts.
struct LibraryEntry {
    var gate: SequenceGate
    var machine = ReconcileMachine()
    /// The first number of the healing request that is under way; nil when there is none.
    var healingFrom: EventSequence?
    /// The highest number that the log was known to reach when missing numbers were last asked for: an answer cannot
    /// say that later numbers do not exist.
    var askedWitness = EventSequence.beforeFirst
    /// The number of entities in memory and with the journal.
    var entityCount: Int64
    /// The number of entities among `entityCount` that the journal never has.
    var unstoredCount: Int64 = 0
    /// Whether the library existed when the cache was opened: entities that no journal has may have been lost.
    var isRecovered: Bool
    /// Whether the journal has an older version of this entry.
    var isChanged: Bool
    /// The record in the last flush, or in the journal when it was opened; nil before.
    var written: LibraryRecord?
    /// Whether something is missing, or may be: `CacheState.expireGaps` checks it.
    var isWatched = false
    /// Whether to ask the upstream without waiting for the reorder window.
    var isUrgent = false

    /// The highest sequence that an answer is known to stand for: an answer may be ahead of the cursor.
    var answeredThrough: EventSequence?
    /// The highest sequence that was known when something of a key was last forgotten: a tombstone, an evicted key, a
    /// removed entity, or a damaged one of these. A late event up to this sequence does not write a key of which
    /// nothing is known.
    var forgottenThrough: EventSequence?
    /// The sequences of late events that were held off: a copy of one changes nothing. At most ``heldOffCountMax``; a
    /// sequence beyond that counts as new.
    var heldOff: Set<EventSequence> = []
    /// The number of sequences in `heldOff` at most: 1,024.
    static let heldOffCountMax = 1_024
    /// The place in the log up to which an answer may miss something that made lists stale.
    var staleThrough = StaleThrough()
    /// Whether the source of the library's events cannot be reached: events may be missing without a trace.
    var isCutOff = false
    /// The epoch of a log of this library from which events can disappear without a trace; nil while none is known.
    var tracelessEpoch: ByteString?
    /// The phase that observers of the libraries were notified of last.
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

    /// The time when the first gap, or the first hole not asked for yet, was seen, in milliseconds since 1970; nil when
    /// there is neither.
    var openSince: Int64? {
        guard let hole = gate.holeSince else { return gate.missingSince }
        return min(gate.missingSince ?? hole, hole)
    }

    /// Whether nothing is missing, and the upstream is not asked.
    var isComplete: Bool { gate.missing == nil && gate.holes.isEmpty && !machine.isActive }

    var phase: LibraryPhase {
        if gate.missing != nil { return machine.isActive && !machine.isHealing ? .reconciling : .gap }
        if isCutOff, gate.cursor != nil { return .gap }
        if gate.isStale { return .stale }
        return gate.cursor == nil ? .cold : .live
    }
}
