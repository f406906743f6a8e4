// Stage 3 of 7: events → admission. Before: EventDecoder. After: CacheState.apply. Laws: L4, L7, L8.

import TidemarkModel

/// One library's position in its log: decides for each event whether it is applied, dropped or held, and knows what is
/// missing.
///
/// A pure value: it applies nothing, asks no one and reads no clock. It implements the table in Protocol/sequencing.md,
/// cell by cell.
package struct SequenceGate {
    /// The log's epoch; nil while the log names none.
    package private(set) var epoch: ByteString?
    /// The library's generation: grows by one whenever the log begins anew; sequences compare only within one
    /// generation.
    package private(set) var generation: UInt32
    /// The last sequence that was applied, or skipped as lost; nil before the first.
    package private(set) var cursor: EventSequence?
    /// The reason why the library's queries may be older than its log; nil when they are not.
    package private(set) var staleCause: StaleCause?
    package private(set) var lost: LostRanges
    package private(set) var held: ReorderBuffer
    /// The numbers of unusable lines. Empty without an upstream.
    package private(set) var holes: HoleList
    /// The highest number that is known to exist ahead of the cursor, other than held events: a heartbeat's last
    /// sequence, or a hole that an answer proved.
    package private(set) var tail: EventSequence?
    /// The time at which the tail was first seen ahead, in milliseconds since 1970.
    package private(set) var tailSeenAt: Int64 = 0

    package init(limits: Limits) {
        generation = 0
        lost = LostRanges(countMax: limits.lostRangeCountMax)
        held = ReorderBuffer(limits: limits)
        holes = HoleList(countMax: limits.heldEventCountMax)
    }

    /// Creates a gate from the record of a journal; nothing is held.
    package init(recovered record: LibraryRecord, limits: Limits) {
        self.init(limits: limits)
        epoch = record.epoch
        generation = record.generation
        cursor = record.cursor
        staleCause = record.isStale ? record.isStaleByLossAlone ? .loss : .newLog : nil
        lost = LostRanges(record.lost, countMax: limits.lostRangeCountMax)
    }

    /// The reason why queries of a library may be older than its log.
    package enum StaleCause: Equatable, Sendable {
        /// Numbers were lost, and nothing else.
        case loss
        /// The log began anew.
        case newLog
    }

    /// Whether queries may be older than the log; cleared when a query is refreshed, or when all lost events have come.
    package var isStale: Bool { staleCause != nil }

    // MARK: Events

    /// The decision on a sequenced event.
    package enum Verdict: Equatable {
        /// Apply the event, then call ``advance(to:)``.
        case apply
        /// The event's effect is already applied.
        case duplicate
        /// The event's number was declared lost: it takes effect out of order, and moves no cursor.
        case late
        /// Something before the event is missing: ``hold(_:)`` it.
        case hold
        /// The event is of another log: call ``beginEpoch(_:baseline:)``, then apply it.
        case newEpoch
    }

    /// Decides on a sequenced event.
    ///
    /// - Parameter previous: The event's `prev`; nil stands for `sequence` - 1.
    /// - Parameter epoch: The event's epoch; nil stands for the current one.
    package func verdict(
        on sequence: EventSequence, previous: EventSequence?, epoch eventEpoch: ByteString?
    ) -> Verdict {
        if let eventEpoch, let epoch, eventEpoch != epoch { return .newEpoch }
        guard let cursor else { return .apply }
        if sequence <= cursor { return lost.contains(sequence) ? .late : .duplicate }
        return (previous ?? sequence.predecessor) <= cursor ? .apply : .hold
    }

    /// Takes over the first epoch that an event names, without a reset.
    package mutating func adoptFirstEpoch(_ eventEpoch: ByteString?) {
        guard epoch == nil, let eventEpoch else { return }
        epoch = eventEpoch
        holes.keep(epoch: eventEpoch)
    }

    /// Advances the cursor to an event that was applied.
    ///
    /// - Precondition: `sequence` is above the cursor (law L4).
    package mutating func advance(to sequence: EventSequence) {
        // No input reaches it: only an event that the verdict admitted, or one that is ready after a gap, comes here,
        // and both are above the cursor; an event that changes the gate itself ends its generation, and then the cursor
        // is left alone.
        if let cursor { precondition(sequence > cursor, "cursor \(cursor) cannot go to \(sequence)") }
        cursor = sequence
        forgetReached()
    }

    package mutating func hold(_ event: HeldEvent) -> ReorderBuffer.Insertion {
        held.insert(event)
    }

    /// Notes the number of an unusable line, to ask for it once. Nothing else changes.
    ///
    /// A line that was cut off before its epoch may be of an ended log: without an epoch it is a hole only in a log
    /// that never had one.
    ///
    /// - Returns: false when the number is no hole: the library is cold, the cursor has passed it, it is held, or it is
    ///   of another log.
    package mutating func noteHole(
        at sequence: EventSequence, epoch eventEpoch: ByteString?, now: Int64
    ) -> Bool {
        if let epoch, eventEpoch != epoch { return false }
        guard let cursor, sequence > cursor, held.event(at: sequence) == nil else { return false }
        holes.insert(sequence, epoch: eventEpoch, at: now)
        return true
    }

    /// Notes that an answer has an unusable line at `sequence` too: holes up to it become missing numbers.
    package mutating func proveHoles(through sequence: EventSequence, at now: Int64) {
        guard let cursor, let proven = holes.highest(through: sequence), proven > cursor else { return }
        if tail == nil { tailSeenAt = now }
        tail = max(tail ?? proven, proven)
    }

    /// Marks holes as asked for, because a request for everything missing is under way.
    package mutating func markHolesAsked() { holes.markAsked() }

    /// Removes the holes that an ended request covered and did not prove.
    package mutating func removeAskedHoles() { holes.removeAsked() }

    /// Removes and returns the next held event, when nothing is missing before it; nil otherwise.
    ///
    /// Held events that the cursor has passed are removed too: they are returned as `.passed`.
    package mutating func takeReady() -> Ready? {
        guard let cursor, let first = held.first else { return nil }
        if first.sequence <= cursor {
            _ = held.takeFirst()
            return .passed(first)
        }
        guard first.previous <= cursor else { return nil }
        _ = held.takeFirst()
        return .apply(first)
    }

    package enum Ready {
        case apply(HeldEvent)
        case passed(HeldEvent)
    }

    // MARK: Heartbeats and epochs

    /// The meaning of a heartbeat.
    package enum Heartbeat: Equatable {
        /// The heartbeat shows nothing new.
        case even
        /// The library was cold: its cursor is now the heartbeat's sequence.
        case baseline
        /// Events up to the heartbeat's sequence are missing.
        case ahead
        /// The log went back or is another one: it began anew, and this number of held events was dropped.
        case newLog(forgotten: Int)
    }

    package mutating func heartbeat(
        last: EventSequence, epoch eventEpoch: ByteString?, at now: Int64
    ) -> Heartbeat {
        if let eventEpoch, let epoch, eventEpoch != epoch {
            return .newLog(forgotten: beginEpoch(eventEpoch, baseline: last))
        }
        adoptFirstEpoch(eventEpoch)
        guard let cursor else {
            self.cursor = last
            return .baseline
        }
        if last < cursor { return .newLog(forgotten: beginEpoch(epoch, baseline: last)) }
        if last == cursor { return .even }
        if tail == nil { tailSeenAt = now }
        tail = max(tail ?? last, last)
        return .ahead
    }

    /// Begins the library's log anew.
    ///
    /// - Parameter baseline: The new cursor; nil when the next sequenced event sets it.
    /// - Returns: The number of held events from inputs that were dropped.
    package mutating func beginEpoch(_ newEpoch: ByteString?, baseline: EventSequence?) -> Int {
        let forgotten = held.all.count { $0.source.isCounted }
        held.removeAll()
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

    /// The first sequences that are missing before something that is known to exist; nil when nothing is missing.
    package var missing: LostRange? {
        guard let cursor else { return nil }
        if let first = held.first {
            if first.previous <= cursor { return nil }
            return LostRange(first: cursor.successor, last: first.previous)
        }
        guard let tail, tail > cursor else { return nil }
        return LostRange(first: cursor.successor, last: tail)
    }

    /// The time at which the first gap was seen, in milliseconds since 1970; nil when nothing is missing.
    package var missingSince: Int64? {
        guard missing != nil else { return nil }
        return held.first?.heldAt ?? tailSeenAt
    }

    /// The time of the first hole that was not asked for, in milliseconds since 1970; nil when there is none.
    package var holeSince: Int64? { holes.isEmpty ? nil : holes.unaskedSince }

    /// Whether the first missing number is also that of an unusable line of an input.
    package var isFirstMissingHole: Bool { missing.map { holes.contains($0.first) } ?? false }

    /// Declares ``missing`` lost: the cursor skips it, and events held after it become ready.
    ///
    /// - Parameter isFirstAlone: Whether only the first number is lost; the others stay missing.
    /// - Returns: The lost range; nil when nothing is missing.
    package mutating func declareLost(isFirstAlone: Bool = false) -> LostRange? {
        guard let missing else { return nil }
        let range = isFirstAlone ? LostRange(first: missing.first, last: missing.first) : missing
        lost.insert(range)
        cursor = range.last
        if staleCause == nil { staleCause = .loss }
        forgetReached()
        return range
    }

    /// Notes that an admitted event's number is lost anyway: the event could not be written.
    package mutating func noteLost(_ sequence: EventSequence) {
        lost.insert(LostRange(first: sequence, last: sequence))
        if staleCause == nil { staleCause = .loss }
    }

    /// The highest number that the log is known to reach: the tail, or the place before a held event.
    ///
    /// - Complexity: O(held events).
    package var witness: EventSequence { [tail, held.highestPrevious].compactMap { $0 }.max() ?? .beforeFirst }

    /// Skips the numbers up to a sequence that the upstream reports as covered: numbers that did not come do not exist.
    ///
    /// The skip stops before a held event, which is known to exist.
    package mutating func skip(through covered: EventSequence) {
        guard let cursor, covered > cursor else { return }
        let bound = held.first.map { min($0.previous, covered) } ?? covered
        if bound > cursor { advance(to: bound) }
    }

    // MARK: Lost numbers

    /// Removes lost numbers that were applied after all, out of order, or that never existed.
    ///
    /// - Returns: false when they stay lost, because there would be too many ranges.
    @discardableResult
    package mutating func recover(_ range: LostRange) -> Bool { lost.remove(range) }

    /// Ends the staleness by loss when nothing is lost any more; staleness from a new log stays.
    package mutating func clearLoss() {
        if lost.isEmpty, staleCause == .loss { staleCause = nil }
    }

    /// Marks everything up to the cursor as lost, because the journal lost its data.
    package mutating func markLostThroughCursor() {
        guard let cursor, cursor > .beforeFirst else { return }
        lost.insert(LostRange(first: EventSequence(0), last: cursor))
        if staleCause == nil { staleCause = .loss }
    }

    /// Notes that stored entities may be older than the log, without a number that is lost.
    package mutating func markStale() { staleCause = .newLog }

    /// Rewinds a cursor that a wrong number moved: the log continues after `sequence`.
    ///
    /// - Precondition: `sequence` is at or below the cursor. Nothing is held.
    package mutating func rewind(to sequence: EventSequence) {
        // No input reaches it: the state refuses to rewind a library that is cold, is not ahead, or holds events.
        guard let cursor else { preconditionFailure("a cold library has no cursor to take back") }
        precondition(sequence <= cursor, "cursor \(cursor) cannot be taken back to \(sequence)")
        precondition(held.isEmpty, "\(held.count) held events would be passed over")
        self.cursor = sequence
        lost.removeAll(above: sequence)
        holes.removeAll()
        tail = nil
        staleCause = .newLog
    }

    /// Ends the staleness after a query was refreshed from the server.
    package mutating func clearStale() {
        staleCause = nil
    }

    private mutating func forgetReached() {
        guard let cursor else { return }
        if let tail, tail <= cursor { self.tail = nil }
        if !holes.isEmpty { holes.remove(through: cursor) }
    }
}
