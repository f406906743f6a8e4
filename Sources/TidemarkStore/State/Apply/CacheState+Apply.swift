// Stage 4 of 7: admitted events → state. Before: SequenceGate. After: EntityStore, QueryIndex. Laws: L1, L4, L7.

import TidemarkModel

extension CacheState {
    /// Applies a batch of lines in order.
    ///
    /// - Parameters:
    ///   - batch: The decoded lines. The keys of ``keysToLoad(for:)`` must be in memory.
    ///   - now: The time, in milliseconds since 1970.
    /// - Complexity: O(events + bytes) expected.
    package mutating func apply(_ batch: EventBatch, at now: Int64) {
        if batch.origin != .reader {
            counts.lines += Int64(batch.lines.count)
            counts.blank += Int64(batch.blankCount)
            counts.control += Int64(batch.controlCount)
        }
        applyEvents(of: batch, 0..<batch.events.count, at: now)
    }

    /// Applies some of a batch's events, with the lines that ``EventBatch/lines(of:)`` returns for them.
    package mutating func apply(_ batch: EventBatch, events: Range<Int>, at now: Int64) {
        if events == 0..<batch.events.count { return apply(batch, at: now) }
        if batch.origin != .reader { countLines(of: batch, events) }
        applyEvents(of: batch, events, at: now)
    }

    private mutating func countLines(of batch: EventBatch, _ events: Range<Int>) {
        let lines = batch.lines(of: events)
        counts.lines += Int64(lines.count)
        var isEvent = Set<UInt32>()
        for event in batch.events[events] { isEvent.insert(event.line) }
        for line in lines where !isEvent.contains(UInt32(line)) {
            if batch.isBlank(line) { counts.blank += 1 } else { counts.control += 1 }
        }
    }

    private mutating func applyEvents(of batch: EventBatch, _ events: Range<Int>, at now: Int64) {
        areCountsUnwritten = true
        defer { noteUnwritten() }
        batch.withBytes { bytes in
            batch.members.withUnsafeBufferPointer { members in
                var lookahead = Lookahead()
                for index in events {
                    let event = batch.events[index]
                    lookahead.look(
                        from: index, in: batch, store: entities, library: libraries.lastIndex,
                        type: types.lastIndex)
                    let line = batch.lines[Int(event.line)]
                    let view = EventView(
                        event: event, members: members, bytes: bytes,
                        source: batch.origin == .reader
                            ? .reader : .line(batch.input, batch.firstLine + Int64(event.line)),
                        offset: batch.firstOffset + Int64(line.offset), byteCount: Int(line.count),
                        lineOffset: Int(line.offset))
                    switch event.kind {
                    case .message: counts.messages += 1
                    case .unusable: setAside(view, of: batch, at: now)
                    default: admit(view, of: batch, at: now)
                    }
                }
            }
        }
    }
}

extension ChangeEvent.Kind {
    /// True if an event of this kind makes its library known, even without a sequence.
    var concernsLibrary: Bool {
        switch self {
        case .changed, .batchChanged, .deleted, .heartbeat, .reset: true
        case .bulk, .refresh, .unknown, .unusable, .message: false
        }
    }
}
