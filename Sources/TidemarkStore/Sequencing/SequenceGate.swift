// Stage 3 of 7: events → admission. Before: EventDecoder. After: CacheState.apply. Laws: L4, L7, L8.

import TidemarkModel

/// One library's place in its log: decides for each event whether it is applied, dropped or held, and knows
/// what is missing.
///
/// A pure value: it applies nothing, asks nobody and reads no clock. The table that it implements is
/// Protocol/sequencing.md, cell by cell.
package struct SequenceGate {
    /// nil while the log names none.
    package private(set) var epoch: ByteString?
    /// Grows by one whenever the log begins anew; sequences compare only within one generation.
    package private(set) var generation: UInt32
    /// The last sequence that was applied, or passed over as lost; nil before the first.
    package private(set) var cursor: EventSequence?
    /// Something was lost or the log began anew; cleared when a query is refreshed.
    package private(set) var isStale: Bool
    package private(set) var lost: LostRanges
    package private(set) var held: ReorderBuffer
    /// A heartbeat's last sequence, while it lies ahead of the cursor.
    package private(set) var tail: EventSequence?
    /// When the tail was first seen ahead, in milliseconds since 1970.
    package private(set) var tailSeenAt: Int64 = 0

    package init(limits: Limits) {
        generation = 0
        isStale = false
        lost = LostRanges(countMax: limits.lostRangeCountMax)
        held = ReorderBuffer(limits: limits)
    }

    /// Continues where a journal left off; nothing is held.
    package init(recovered record: LibraryRecord, limits: Limits) {
        self.init(limits: limits)
        epoch = record.epoch
        generation = record.generation
        cursor = record.cursor
        isStale = record.isStale
        lost = LostRanges(record.lost, countMax: limits.lostRangeCountMax)
    }

    // MARK: Events

    /// What to do with a sequenced event.
    package enum Verdict: Equatable {
        /// Apply it, then ``advance(to:)``.
        case apply
        /// Its effect is there already.
        case duplicate
        /// Something before it is missing: ``hold(_:)`` it.
        case hold
        /// Another log: ``beginEpoch(_:baseline:)``, then apply it.
        case newEpoch
    }

    /// - Parameter previous: The event's `prev`; nil stands for `sequence` - 1.
    /// - Parameter epoch: The event's epoch; nil stands for the current one.
    package func verdict(
        on sequence: EventSequence, previous: EventSequence?, epoch eventEpoch: ByteString?
    ) -> Verdict {
        if let eventEpoch, let epoch, eventEpoch != epoch { return .newEpoch }
        guard let cursor else { return .apply }
        if sequence <= cursor { return .duplicate }
        return (previous ?? sequence.predecessor) <= cursor ? .apply : .hold
    }

    /// The first epoch that is heard is taken over without a reset.
    package mutating func adoptFirstEpoch(_ eventEpoch: ByteString?) {
        if epoch == nil { epoch = eventEpoch }
    }

    /// The cursor follows an event that was applied.
    ///
    /// - Precondition: `sequence` lies above the cursor (law L4).
    package mutating func advance(to sequence: EventSequence) {
        if let cursor { precondition(sequence > cursor, "cursor \(cursor) cannot go to \(sequence)") }
        cursor = sequence
        forgetReachedTail()
    }

    package mutating func hold(_ event: HeldEvent) -> ReorderBuffer.Insertion {
        held.insert(event)
    }

    /// A bad event stands at this sequence: what comes before it is expected, and it itself is missing.
    ///
    /// - Returns: false when there is nothing to wait for: the cursor has passed it, or it is of another log.
    package mutating func noteHole(_ hole: HeldEvent, epoch eventEpoch: ByteString?) -> Bool {
        if let eventEpoch, let epoch, eventEpoch != epoch { return false }
        if let cursor, hole.sequence <= cursor { return false }
        // What precedes the first event that is ever seen is the baseline, even when that event is bad.
        if cursor == nil { cursor = hole.previous }
        return held.insert(hole) == .added
    }

    /// The next held event, when nothing is missing before it; it leaves the buffer.
    ///
    /// Held events that the cursor has passed leave it too: they come as `.passed`.
    package mutating func takeReady() -> Ready? {
        guard let cursor, let first = held.first else { return nil }
        if first.sequence <= cursor {
            _ = held.takeFirst()
            return .passed(first)
        }
        guard first.previous <= cursor, !first.isHole else { return nil }
        _ = held.takeFirst()
        return .apply(first)
    }

    package enum Ready {
        case apply(HeldEvent)
        case passed(HeldEvent)
    }

    // MARK: Heartbeats and epochs

    /// What a heartbeat says.
    package enum Heartbeat: Equatable {
        /// Nothing that was not known.
        case even
        /// The library was cold: its cursor is the heartbeat's.
        case baseline
        /// Events up to it are missing.
        case ahead
        /// The log went back or is another: it began anew, and these held events were forgotten.
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

    /// The library's log begins anew.
    ///
    /// - Parameter baseline: The new cursor; nil when the next sequenced event is to be it.
    /// - Returns: How many held events were forgotten; holes do not count, their lines were counted as quarantined.
    package mutating func beginEpoch(_ newEpoch: ByteString?, baseline: EventSequence?) -> Int {
        let forgotten = held.all.count { !$0.isHole && $0.source != .upstream }
        held.removeAll()
        tail = nil
        lost = LostRanges(countMax: lost.countMax)
        epoch = newEpoch
        generation += 1
        cursor = baseline
        isStale = true
        return forgotten
    }

    // MARK: What is missing

    /// The first sequences that are missing before something that is known to exist; nil when none are.
    package var missing: LostRange? {
        guard let cursor else { return nil }
        if let first = held.first {
            if first.previous <= cursor {
                return first.isHole ? LostRange(first: first.sequence, last: first.sequence) : nil
            }
            return LostRange(first: cursor.successor, last: first.previous)
        }
        guard let tail, tail > cursor else { return nil }
        return LostRange(first: cursor.successor, last: tail)
    }

    /// When the first gap was seen, in milliseconds since 1970; nil when nothing is missing.
    package var missingSince: Int64? {
        guard missing != nil else { return nil }
        return held.first?.heldAt ?? tailSeenAt
    }

    /// Gives up what ``missing`` names: the cursor passes over it, and what was held behind it becomes ready.
    ///
    /// - Returns: What was lost; nil when nothing is missing.
    package mutating func declareLost() -> LostRange? {
        guard let range = missing else { return nil }
        if let first = held.first, first.isHole, first.sequence == range.first { _ = held.takeFirst() }
        lost.insert(range)
        cursor = range.last
        isStale = true
        forgetReachedTail()
        return range
    }

    /// The upstream says that its log has nothing more up to a sequence: what did not come does not exist.
    ///
    /// Stops before a held event or hole, which is known to exist.
    package mutating func skip(through covered: EventSequence) {
        guard let cursor, covered > cursor else { return }
        let bound = held.first.map { min($0.previous, covered) } ?? covered
        if bound > cursor { advance(to: bound) }
    }

    /// The event at a sequence came and cannot be stored: its number passes as any other, and counts as lost.
    package mutating func noteLost(_ sequence: EventSequence) {
        lost.insert(LostRange(first: sequence, last: sequence))
        isStale = true
    }

    /// A sequence that was lost was applied after all, out of order.
    package mutating func recover(_ sequence: EventSequence) {
        lost.remove(sequence)
    }

    /// What the journal had is gone: everything up to the cursor counts as lost.
    package mutating func markLostThroughCursor() {
        guard let cursor, cursor > .beforeFirst else { return }
        lost.insert(LostRange(first: EventSequence(0), last: cursor))
        isStale = true
    }

    /// A query was refreshed from the server.
    package mutating func clearStale() {
        isStale = false
    }

    private mutating func forgetReachedTail() {
        if let tail, let cursor, tail <= cursor { self.tail = nil }
    }
}
