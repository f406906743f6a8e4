// Stage 3 of 7: events → admission. Before: EventDecoder. After: CacheState.apply. Laws: L4, L7, L8.

import TidemarkModel

/// One library's position in its log. It decides whether each event is applied, dropped or held, and knows which
/// sequences are missing.
///
/// A pure value: it applies no event, calls no upstream and reads no clock. It implements the table in
/// Protocol/sequencing.md, cell by cell.
package struct SequenceGate {
    /// The name of the log; nil until an event names one.
    package private(set) var epoch: ByteString?
    /// How often the log was replaced by a new one. Sequences of different generations cannot be compared.
    package private(set) var generation: UInt32
    /// The last sequence that was applied, or skipped as lost; nil before the first.
    package private(set) var cursor: EventSequence?
    /// Why the library's queries may be older than its log; nil if they are not.
    package private(set) var staleCause: StaleCause?
    /// The sequences that were declared lost.
    package private(set) var lost: LostRanges
    /// The events that wait for the gap before them to close.
    package private(set) var held: ReorderBuffer
    /// The events of a unit that has not ended.
    package internal(set) var unit = OpenUnit()
    /// True from a reset that begins a state to the heartbeat that ends it.
    package private(set) var isInState = false
    /// True if the last heartbeat said that the log's source is stale itself.
    package var isSourceStale = false
    /// The sequences of unusable lines above the cursor. Empty without an upstream.
    package private(set) var holes: HoleList
    /// The highest sequence known to exist ahead of the cursor, apart from held events: a heartbeat's `last_sequence`,
    /// or a hole that a response proved. nil if there is none.
    package private(set) var tail: EventSequence?
    /// When the tail was first seen ahead of the cursor, in milliseconds since 1970.
    package private(set) var tailSeenAt: Int64 = 0

    /// Creates the gate of a library that has received nothing.
    package init(limits: Limits) {
        generation = 0
        lost = LostRanges(countMax: limits.lostRangeCountMax)
        held = ReorderBuffer(limits: limits)
        holes = HoleList(countMax: limits.heldEventCountMax)
    }

    /// Creates a gate from a journal's record; no event is held.
    package init(recovered record: LibraryRecord, limits: Limits) {
        self.init(limits: limits)
        epoch = record.epoch
        generation = record.generation
        cursor = record.cursor
        staleCause = record.isStale ? record.isStaleByLossAlone ? .loss : .newLog : nil
        isInState = record.isInState
        isSourceStale = record.isSourceStale
        lost = LostRanges(record.lost, countMax: limits.lostRangeCountMax)
    }

    /// Why a library's queries may be older than its log.
    package enum StaleCause: Equatable, Sendable {
        /// Sequences were lost, and nothing else happened.
        case loss
        /// The log was replaced, or stored entities may be older than it.
        case newLog
    }

    /// True if the library may be older than its source: queries may be older than the log, a state is under way, or
    /// the source is stale itself.
    package var isStale: Bool { staleCause != nil || isInState || isSourceStale }

    // MARK: Events

    /// What to do with a sequenced event.
    package enum Verdict: Equatable {
        /// Apply the event, then call ``advance(to:)``.
        case apply
        /// Drop the event: its sequence was applied already.
        case duplicate
        /// Apply the event out of order, without moving the cursor: its sequence was declared lost.
        case late
        /// Call ``hold(_:)``: sequences before the event are missing.
        case hold
        /// Call ``beginEpoch(_:baseline:)``, then apply the event: it belongs to another log.
        case newEpoch
    }

    /// Decides what to do with a sequenced event. Changes nothing.
    ///
    /// - Parameters:
    ///   - sequence: The event's sequence.
    ///   - previous: The event's `prev`; nil means `sequence` - 1.
    ///   - eventEpoch: The event's epoch; nil means the current one.
    package func verdict(
        on sequence: EventSequence, previous: EventSequence?, epoch eventEpoch: ByteString?
    ) -> Verdict {
        if let eventEpoch, let epoch, eventEpoch != epoch { return .newEpoch }
        guard let reached else { return .apply }
        if sequence <= reached { return lost.contains(sequence) ? .late : .duplicate }
        return (previous ?? sequence.predecessor) <= reached ? .apply : .hold
    }

    /// Does the same as ``verdict(on:previous:epoch:)``, and adopts the first epoch that an event names.
    mutating func admit(
        _ sequence: EventSequence, previous: EventSequence?, epoch eventEpoch: ByteString?
    ) -> Verdict {
        adoptFirstEpoch(eventEpoch)
        return verdict(on: sequence, previous: previous, epoch: eventEpoch)
    }

    /// Adopts the first epoch that an event names. No effect if the log already has one.
    package mutating func adoptFirstEpoch(_ eventEpoch: ByteString?) {
        guard epoch == nil, let eventEpoch else { return }
        epoch = eventEpoch
        holes.keep(epoch: eventEpoch)
    }

    /// Moves the cursor to an event that was applied.
    ///
    /// - Precondition: `sequence` is above the cursor (law L4).
    package mutating func advance(to sequence: EventSequence) {
        // No input reaches it: only an event that the verdict admitted, or one that became ready after a gap, is
        // applied here, and both are above the cursor. An event that changes the gate itself ends its generation, and
        // then the cursor is left alone.
        if let cursor { precondition(sequence > cursor, "cursor \(cursor) cannot go to \(sequence)") }
        cursor = sequence
        forgetReached()
    }

    /// Holds an event until the gap before it closes; keeps an event that is already held under its sequence.
    package mutating func hold(_ event: HeldEvent) -> ReorderBuffer.Insertion {
        held.insert(event)
    }

    /// Records the sequence of an unusable line, so that the upstream is asked for it once. Nothing else changes.
    ///
    /// A line without an epoch may be cut off, and belong to an old log, so it is a hole only in a log that never had
    /// an epoch.
    ///
    /// - Returns: False if the sequence is not a hole: the library is cold, the cursor has passed it, it is held, or it
    ///   belongs to another log.
    package mutating func noteHole(
        at sequence: EventSequence, epoch eventEpoch: ByteString?, now: Int64
    ) -> Bool {
        if let epoch, eventEpoch != epoch { return false }
        guard let reached, sequence > reached, held.event(at: sequence) == nil else { return false }
        holes.insert(sequence, epoch: eventEpoch, at: now)
        return true
    }

    /// Records that the upstream has an unusable line at `sequence` too. Holes up to it become missing sequences.
    package mutating func proveHoles(through sequence: EventSequence, at now: Int64) {
        guard let reached, let proven = holes.highest(through: sequence), proven > reached else { return }
        if tail == nil { tailSeenAt = now }
        tail = max(tail ?? proven, proven)
    }

    /// Marks all holes as requested, because a request for everything missing is under way.
    package mutating func markHolesAsked() { holes.markAsked() }

    /// Removes the holes that a request covered and did not prove.
    package mutating func removeAskedHoles() { holes.removeAsked() }

    /// Removes and returns the first held event if nothing is missing before it; nil otherwise.
    ///
    /// Held events that the cursor has passed are also removed, and returned as ``Ready/passed(_:)``.
    package mutating func takeReady() -> Ready? {
        guard let reached, let first = held.first else { return nil }
        if first.sequence <= reached {
            _ = held.takeFirst()
            return .passed(first)
        }
        guard first.previous <= reached else { return nil }
        _ = held.takeFirst()
        return .apply(first)
    }

    /// A held event that no longer has to wait.
    package enum Ready {
        /// The event is next: apply it.
        case apply(HeldEvent)
        /// The cursor has passed the event: drop it.
        case passed(HeldEvent)
    }

    // MARK: Heartbeats and epochs

    /// What a heartbeat shows.
    package enum Heartbeat: Equatable {
        /// The heartbeat matches the cursor.
        case even
        /// The library was cold: its cursor is now the heartbeat's sequence.
        case baseline
        /// Events up to the heartbeat's sequence are missing.
        case ahead
        /// The log went back or was replaced: a new generation began. `forgotten` held events from inputs were dropped.
        case newLog(forgotten: Int)
    }

    /// Handles a heartbeat, and adopts the epoch if it is the first.
    ///
    /// - Parameters:
    ///   - last: The heartbeat's `last_sequence`.
    ///   - eventEpoch: The heartbeat's epoch; nil means the current one.
    ///   - now: The time, in milliseconds since 1970.
    package mutating func heartbeat(
        last: EventSequence, epoch eventEpoch: ByteString?, at now: Int64
    ) -> Heartbeat {
        if let eventEpoch, let epoch, eventEpoch != epoch {
            return .newLog(forgotten: beginEpoch(eventEpoch, baseline: last))
        }
        adoptFirstEpoch(eventEpoch)
        guard let reached else {
            self.cursor = last
            return .baseline
        }
        if last < cursor ?? .beforeFirst { return .newLog(forgotten: beginEpoch(epoch, baseline: last)) }
        // Inside an open unit, the heartbeat may repeat the number before the unit.
        if last <= reached { return .even }
        if tail == nil { tailSeenAt = now }
        tail = max(tail ?? last, last)
        return .ahead
    }

    /// Begins a new generation of the log: drops held events, holes and lost ranges, and marks the library as stale.
    ///
    /// - Parameters:
    ///   - newEpoch: The name of the new log; nil if it is unknown.
    ///   - baseline: The new cursor; nil if the next sequenced event sets it.
    /// - Returns: How many held events from inputs were dropped.
    package mutating func beginEpoch(_ newEpoch: ByteString?, baseline: EventSequence?) -> Int {
        let forgotten = waiting.count { $0.source.isCounted }
        unit.removeAll()
        held.removeAll()
        isInState = false
        isSourceStale = false
        holes.removeAll()
        tail = nil
        lost = LostRanges(countMax: lost.countMax)
        epoch = newEpoch
        generation += 1
        cursor = baseline
        staleCause = .newLog
        return forgotten
    }

    // MARK: Missing numbers

    /// Declares ``missing`` lost: the cursor skips it, and events held after it become ready.
    ///
    /// - Parameter isFirstAlone: True to declare only the first sequence lost; the others stay missing.
    /// - Returns: The lost range; nil if nothing is missing.
    /// - Precondition: No unit is open: ``takeUnit()`` comes first.
    package mutating func declareLost(isFirstAlone: Bool = false) -> LostRange? {
        // No input reaches it: the state applies an open unit before it gives up what is missing after it.
        precondition(unit.isEmpty, "\(unit.events.count) events of a unit would be passed over")
        guard let missing else { return nil }
        let range = isFirstAlone ? LostRange(first: missing.first, last: missing.first) : missing
        lost.insert(range)
        cursor = range.last
        if staleCause == nil { staleCause = .loss }
        forgetReached()
        return range
    }

    /// Records that an admitted event's sequence is lost, because the event could not be written.
    package mutating func noteLost(_ sequence: EventSequence) {
        lost.insert(LostRange(first: sequence, last: sequence))
        if staleCause == nil { staleCause = .loss }
    }

    /// Skips sequences that the upstream covered: those that it did not return do not exist.
    ///
    /// Stops before the first held event, which does exist.
    package mutating func skip(through covered: EventSequence) {
        guard let reached, covered > reached else { return }
        let bound = held.first.map { min($0.previous, covered) } ?? covered
        guard bound > reached else { return }
        if unit.isEmpty { return advance(to: bound) }
        unit.skip(through: bound)
        forgetReached()
    }

    // MARK: Lost numbers

    /// Removes lost sequences that were applied late, or that turned out not to exist.
    ///
    /// - Returns: False if they stay lost, because there would be too many ranges.
    @discardableResult
    package mutating func recover(_ range: LostRange) -> Bool { lost.remove(range) }

    /// Ends staleness caused by loss, if nothing is lost any more. Staleness from a new log stays.
    package mutating func clearLoss() {
        if lost.isEmpty, staleCause == .loss { staleCause = nil }
    }

    /// Declares everything up to the cursor lost, because the journal lost its data.
    package mutating func markLostThroughCursor() {
        guard let cursor, cursor > .beforeFirst else { return }
        lost.insert(LostRange(first: EventSequence(0), last: cursor))
        if staleCause == nil { staleCause = .loss }
    }

    /// Records that stored entities may be older than the log, although no known sequence is lost. A state under way is
    /// over, because something of it may be gone.
    package mutating func markStale() {
        staleCause = .newLog
        isInState = false
    }

    /// Moves the cursor back, after a wrong sequence moved it too far: the log continues after `sequence`.
    ///
    /// - Precondition: `sequence` is at or below the cursor, and no event waits.
    package mutating func rewind(to sequence: EventSequence) {
        // No input reaches it: the state refuses to rewind a library that is cold, is not ahead, or holds events.
        guard let cursor else { preconditionFailure("a cold library has no cursor to take back") }
        precondition(sequence <= cursor, "cursor \(cursor) cannot be taken back to \(sequence)")
        precondition(waiting.isEmpty, "\(waiting.count) held events would be passed over")
        self.cursor = sequence
        lost.removeAll(above: sequence)
        holes.removeAll()
        tail = nil
        staleCause = .newLog
    }

    /// Ends the staleness, because a query was refreshed from the server.
    package mutating func clearStale() {
        staleCause = nil
    }

    /// Begins a state: everything that the library has follows.
    package mutating func beginState() { isInState = true }

    /// Ends the state under way, and with it staleness from any cause but the source's own.
    package mutating func endState() {
        isInState = false
        staleCause = nil
    }

    mutating func removeHeld() {
        held.removeAll()
        holes.removeAll()
        tail = nil
    }

    mutating func forgetReached() {
        guard let reached else { return }
        if let tail, tail <= reached { self.tail = nil }
        if !holes.isEmpty { holes.remove(through: reached) }
    }
}
