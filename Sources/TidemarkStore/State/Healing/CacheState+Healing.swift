import TidemarkModel

/// Healing: asks the upstream again for sequences that were lost.
///
/// - Source: Protocol/sequencing.md, healing.
extension CacheState {
    /// Returns true if a library has lost sequences that can be requested now: no other request is under way or due.
    package func canHeal(_ library: LibraryIndex) -> Bool {
        let entry = libraries[library]
        return configuration.hasUpstream && !entry.gate.lost.isEmpty && !entry.machine.isActive
            && entry.gate.missing == nil && entry.gate.holes.isEmpty
    }

    /// The libraries that have lost sequences.
    package var lossyLibraries: [LibraryIndex] {
        libraries.indexes.filter { !libraries[$0].gate.lost.isEmpty }
    }

    /// Returns true if a library's upstream is being asked for lost sequences.
    package func isHealing(_ library: LibraryIndex) -> Bool { libraries[library].machine.isHealing }

    /// Returns true if this attempt is under way and asks for lost sequences, so that its response is wanted.
    package func isHealing(_ library: LibraryIndex, attempt: UInt64) -> Bool {
        libraries[library].machine.isHealing && libraries[library].machine.isAsking(attempt)
    }

    /// Returns the lost sequences of a library, as ranges.
    package func lostRanges(of library: LibraryIndex) -> [LostRange] { libraries[library].gate.lost.ranges }

    /// Begins one request for the lost sequences of a library.
    ///
    /// - Returns: The request; empty if nothing is lost, or another request is under way.
    package mutating func beginHealing(_ library: LibraryIndex, at now: Int64) -> [ReconcileRequest] {
        canHeal(library) ? ask(forLostFrom: EventSequence(0), of: library, at: now) : []
    }

    private mutating func ask(
        forLostFrom sequence: EventSequence, of library: LibraryIndex, at now: Int64
    ) -> [ReconcileRequest] {
        guard let first = libraries[library].gate.lost.first(from: sequence),
            case .ask(let attempt) = libraries[library].machine.startHealing(at: now)
        else { return [] }
        libraries[library].healingFrom = first
        return [.ask(library: library, from: first, attempt: attempt)]
    }

    /// Applies a response to a request for lost sequences: events whose sequences are lost are applied late, others are
    /// skipped.
    ///
    /// Sequences up to `coveredThrough` without an event do not exist, as far as the response's last event shows that
    /// the log reaches, and are no longer lost. A response with events is followed by a request for the sequences lost
    /// after them, unless something is missing ahead of the cursor by then.
    mutating func heal(
        _ library: LibraryIndex, with answer: [EventBatch], coveredThrough: EventSequence?, attempt: UInt64,
        at now: Int64
    ) -> [ReconcileRequest] {
        let first = libraries[library].healingFrom ?? EventSequence(0)
        var scan = ResponseScan()
        var heldOff: Set<EventSequence> = []
        for batch in answer {
            forEachEvent(of: batch, answering: library, &scan) { state, view in
                guard let sequence = view.event.sequence, state.libraries[library].gate.lost.contains(sequence)
                else { return }
                state.admit(view, of: batch, at: now)
                if state.libraries[library].gate.lost.contains(sequence) { heldOff.insert(sequence) }
            }
        }
        if let covered = scan.covered(
            through: coveredThrough, from: first.predecessor, witness: scan.last ?? .beforeFirst)
        {
            recover(from: first, through: covered, but: heldOff, in: library)
        }
        libraries[library].isChanged = true
        _ = endHealing(of: library, attempt: attempt, at: now)
        guard let last = scan.last, last >= first, last < .last, canHeal(library) else { return [] }
        return ask(forLostFrom: last.successor, of: library, at: now)
    }

    /// Removes sequences that do not exist from the lost ones. Those whose events could not be written stay lost.
    private mutating func recover(
        from first: EventSequence, through last: EventSequence, but heldOff: Set<EventSequence>,
        in library: LibraryIndex
    ) {
        var next = first
        for sequence in heldOff.sorted() where sequence >= next && sequence <= last {
            if next < sequence { recover(LostRange(first: next, last: sequence.predecessor), in: library) }
            next = sequence.successor
        }
        if next <= last { recover(LostRange(first: next, last: last), in: library) }
    }

    /// Ends a request for lost sequences.
    mutating func endHealing(of library: LibraryIndex, attempt: UInt64, at now: Int64) -> [ReconcileRequest] {
        let action = libraries[library].machine.healed(attempt: attempt)
        // The failure of an ended request must not end the one under way.
        if action != .ignore { libraries[library].healingFrom = nil }
        return follow(action, of: library, at: now)
    }

    // MARK: Wrong numbers

    /// Why a cursor was not rewound.
    package enum RewindError: Error, Hashable, Sendable {
        /// No library has that name.
        case unknownLibrary
        /// The library has no cursor, or one that is not above the requested sequence.
        case notAhead(cursor: EventSequence?)
        /// Events are held, or an upstream is being asked.
        case busy
    }

    /// Moves the cursor back, after a wrong sequence moved it too far. The log continues after `sequence`, and the
    /// library's queries are stale.
    ///
    /// Sequences above `sequence` are no longer lost. Entities written above it count as written at `sequence`, so that
    /// the next event of the log changes them.
    ///
    /// - Precondition: Every entity with a stamp above `sequence` is in memory.
    package mutating func rewind(
        _ name: ByteString, to sequence: EventSequence, at now: Int64
    ) throws(RewindError) {
        guard let library = libraries.index(of: name) else { throw .unknownLibrary }
        let entry = libraries[library]
        guard let cursor = cursor(of: library), sequence < cursor else { throw .notAhead(cursor: cursor(of: library)) }
        guard entry.gate.waiting.isEmpty, !entry.machine.isActive else { throw .busy }
        libraries[library].gate.rewind(to: sequence)
        libraries[library].isChanged = true
        libraries[library].answeredThrough = entry.answeredThrough.map { min($0, sequence) }
        libraries[library].forgottenThrough = entry.forgottenThrough.map { min($0, sequence) }
        isUnwritten = true
        let generation = entry.gate.generation
        entities.lowerStamps(of: library, generation: generation, to: sequence)
        tombstones.lower(library, generation: generation, to: sequence)
        for query in queries.all where queries[query].library == library {
            if queries[query].rewind(to: sequence) { queries.markDirty(query) }
        }
        forgetRecentWrites()
        libraries[library].staleThrough.rewind(to: sequence)
        meanwhile.rewind(name, to: sequence)
        markAllStale(in: library, nil, at: now)
        noteStatus(of: library, at: now)
    }
}
