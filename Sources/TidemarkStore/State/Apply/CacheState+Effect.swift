// Stage 4 of 7: admitted events → state. Before: SequenceGate. After: EntityStore, QueryIndex. Laws: L1, L4, L7.

import TidemarkModel

/// The effect of one admitted event.
extension CacheState {
    /// Writes an event's effect. Its sequence, if any, was admitted before.
    mutating func applyEffect(_ view: EventView, in library: LibraryIndex, at now: Int64) {
        let event = view.event
        // Without lists and observers there is nobody to notify.
        let hasReaders = !queries.isEmpty || !followedTypes.isEmpty
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
            if event.mayEndState { endState(of: library, at: now) }
            // A heartbeat in an upstream's response is of the past. It keeps its place in the log and has no other
            // effect, but that it may end a state.
            if view.source == .upstream {
                count(view, at: now)
                return
            }
            hearHeartbeat(last, epoch: epoch(of: view, in: library), in: library, at: now)
            libraries[library].gate.isSourceStale = event.isMarked
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
        if !followedTypes.isEmpty { logSettled(by: view, in: library) }
    }

    /// Logs the edit that an event names, for those who follow types.
    private mutating func logSettled(by view: EventView, in library: LibraryIndex) {
        guard let text = view.text(view.event.mutationID) else { return }
        queries.recorder.append(.settled(ByteString(text), library: libraries.name(of: library)))
    }

    /// Counts an event in its bin. Events from an upstream have their own bin.
    mutating func count(_ view: EventView, at now: Int64) {
        let event = view.event
        if case .unknown = event.kind { countIgnored(view) }
        switch (view.source, event.kind) {
        case (.upstream, _):
            counts.reconciled += 1
            log(view, .reconciled, at: now)
        case (.reader, _):
            log(view, .applied, at: now)
        case (.line, .unknown):
            counts.ignored += 1
            tallies.add(.ignored, view.source)
            log(view, .ignored, at: now)
        case (.line, _):
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
