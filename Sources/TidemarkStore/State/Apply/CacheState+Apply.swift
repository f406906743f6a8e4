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

    /// Writes an event's effect. Its sequence, if any, was admitted before.
    mutating func applyEffect(_ view: EventView, in library: LibraryIndex, at now: Int64) {
        let event = view.event
        // Without lists and observers there is nobody to notify.
        let hasReaders = !queries.isEmpty
        keptEvents.open(view.content)
        defer { keptEvents.close() }
        if hasReaders { beginUnit(isMulti: isMulti(view, in: library)) }
        defer { if hasReaders { endUnit(at: now) } }
        let creation = creation(in: view, in: library)
        switch event.kind {
        case .changed, .batchChanged:
            guard upsert(view, in: library, at: now) != .tooLarge else {
                return refuseInPlace(view, because: .tooLarge, in: library, at: now)
            }
            if event.isIndexOperation { invalidate(by: view, in: library, at: now) }
        case .deleted:
            _ = delete(view, in: library, at: now)
        case .heartbeat:
            // No input reaches it: a heartbeat without `last_sequence` is unusable, and never admitted.
            guard let last = event.lastSequence else { preconditionFailure("a heartbeat without last_sequence") }
            // A heartbeat in an upstream's response is of the past. It keeps its place in the log and has no other
            // effect.
            if view.source == .upstream {
                count(view, at: now)
                return
            }
            hearHeartbeat(last, epoch: epoch(of: view, in: library), in: library, at: now)
        case .bulk:
            invalidate(by: view, in: library, at: now)
        case .refresh:
            invalidate(by: view, in: event.library.isAbsent ? nil : library, at: now)
        case .reset, .unknown:
            break
        case .unusable:
            // No input reaches it: the decoder gives every unusable event a reason.
            guard let reason = event.reason else { preconditionFailure("an unusable event without a reason") }
            return refuseInPlace(view, because: reason, in: library, at: now)
        case .message:
            // No input reaches it: messages are handled before an event is admitted.
            preconditionFailure("\(event.kind) has no effect")
        }
        count(view, at: now)
        keptEvents.close()
        if !layers.isEmpty { settle(by: view, creation, in: library, at: now) }
    }

    /// Counts an event in its bin. Events from an upstream have their own bin.
    mutating func count(_ view: EventView, at now: Int64) {
        let event = view.event
        if event.kind == .unknown { countIgnored(view) }
        switch view.source {
        case .upstream:
            counts.reconciled += 1
            log(view, .reconciled, at: now)
        case .reader:
            log(view, .applied, at: now)
        case .line where event.kind == .unknown:
            counts.ignored += 1
            tallies.add(.ignored, view.source)
            log(view, .ignored, at: now)
        case .line:
            counts.applied += 1
            tallies.add(.applied, view.source)
            log(view, .applied, at: now)
        }
    }

    private mutating func countIgnored(_ view: EventView) {
        let name = ByteString(view.bytes[view.event.detail].prefix(configuration.limits.typeByteCountMax))
        if ignoredKinds[name] == nil, ignoredKinds.count >= configuration.limits.ignoredKindCountMax {
            ignoredKinds[CacheState.otherKinds, default: 0] += 1
        } else {
            ignoredKinds[name, default: 0] += 1
        }
    }

    /// The name under which ignored kinds are counted once there are too many names. No kind on the wire has this name.
    package static let otherKinds: ByteString = "…"
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
