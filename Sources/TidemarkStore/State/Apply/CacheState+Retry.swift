import TidemarkModel

extension CacheState {
    /// The outcome of retrying a quarantined line.
    package enum RetryOutcome: Sendable {
        /// The line took effect.
        case applied
        /// The line is usable, but something newer is stored, or its log has ended.
        case superseded
        /// The line is still unusable.
        case refused
    }

    /// Retries a quarantined line, as one step. It was counted when it was quarantined, and is not counted again.
    ///
    /// It is refused again if it would still add one library or type too many. A later event's write stays. A sequenced
    /// event at or below the cursor takes effect only if its sequence was declared lost, and is then no longer lost. An
    /// event without a sequence takes effect only on entities that were not written since.
    ///
    /// - Parameters:
    ///   - batch: The line, decoded again.
    ///   - record: The record in the journal; it is removed from the quarantine unless the line is refused again.
    ///   - now: The time, in milliseconds since 1970.
    /// - Source: Protocol/errors.md, quarantine.
    package mutating func retry(
        _ batch: EventBatch, of record: QuarantineRecord, at now: Int64
    ) -> RetryOutcome {
        guard let event = batch.events.first, event.kind != .unusable, event.kind != .message else { return .refused }
        let countsBefore = counts
        let ignoredBefore = ignoredKinds
        let outcome = batch.withBytes { bytes in
            batch.members.withUnsafeBufferPointer { members in
                let view = EventView(
                    event: event, members: members, bytes: bytes, source: .line(batch.input, record.line),
                    offset: record.offset, byteCount: record.byteCount)
                return applyRetried(view, receivedAt: record.receivedAt, at: now)
            }
        }
        counts = countsBefore
        ignoredKinds = ignoredBefore
        guard outcome != .refused else { return .refused }
        quarantine.remove(record.number)
        isUnwritten = true
        return outcome
    }

    private mutating func applyRetried(_ view: EventView, receivedAt: Int64, at now: Int64) -> RetryOutcome {
        let event = view.event
        let name = view.string(event.library) ?? configuration.defaultLibrary
        guard let library = name.bytes.withUnsafeBytes({ libraries.admit($0) }),
            event.type.isAbsent || admitType(view.bytes[event.type]) != nil
        else { return .refused }
        libraries[library].isChanged = true
        if let sequence = event.sequence, let cursor = libraries[library].gate.cursor, event.kind != .reset {
            let gate = libraries[library].gate
            if let epoch = epoch(of: view, in: library), let current = gate.epoch, epoch != current {
                return .superseded
            }
            if sequence <= cursor {
                guard gate.lost.contains(sequence) else { return .superseded }
                guard !isOversized(view, in: library) else { return .refused }
                defer { noteStatus(of: library, at: now) }
                if applyLate(view, sequence, in: library, at: now) { return .applied }
                // A late event that was held off has no other copy.
                return libraries[library].gate.lost.contains(sequence) ? .refused : .superseded
            }
        }
        if event.sequence == nil, isWrittenSince(receivedAt, view, in: library) { return .superseded }
        guard !isOversized(view, in: library) else { return .refused }
        guard event.sequence != nil || event.kind == .reset else { return writeRetried(view, in: library, at: now) }
        offer(view, to: library, at: now)
        return .applied
    }

    /// Applies a retried event without a sequence. Only events that change entities are applied: an old heartbeat or
    /// refresh has no meaning now.
    private mutating func writeRetried(_ view: EventView, in library: LibraryIndex, at now: Int64) -> RetryOutcome {
        beginUnit(isMulti: isMulti(view, in: library))
        defer { endUnit(at: now) }
        let creation = creation(in: view, in: library)
        defer { if !layers.isEmpty { settle(by: view, creation, in: library, at: now) } }
        switch view.event.kind {
        case .changed, .batchChanged:
            switch upsert(view, in: library, isLate: true, at: now) {
            case .written: return .applied
            case .superseded: return .superseded
            // The caller checked the size before; its outcome for an oversized entity is the same.
            case .tooLarge: return .refused
            }
        case .deleted:
            if mayHaveBeenNewer(view, in: library) { return .superseded }
            return delete(view, in: library, at: now) ? .applied : .superseded
        case .bulk, .refresh, .heartbeat, .reset, .unknown, .unusable, .message: return .applied
        }
    }

    /// Returns true if the entity that an event deletes is evicted, so that it may have been created again since.
    private mutating func mayHaveBeenNewer(_ view: EventView, in library: LibraryIndex) -> Bool {
        guard let type = admitType(view.bytes[view.event.type]) else { return false }
        return view.ownMembers.contains {
            residency.wasEvicted(identity(of: $0, in: view, library: library, type: type))
        }
    }

    /// Returns true if any entity that an event touches was written or deleted after a time.
    private mutating func isWrittenSince(_ time: Int64, _ view: EventView, in library: LibraryIndex) -> Bool {
        guard !view.event.type.isAbsent, let type = admitType(view.bytes[view.event.type]) else { return false }
        return view.ownMembers.contains { member in
            guard member.reason == nil else { return false }
            let identity = identity(of: member, in: view, library: library, type: type)
            if let index = entities.find(identity) { return entities.stamp(of: index).writtenAt > time }
            return tombstones[identity.storedKey].map { $0.deletedAt > time } ?? false
        }
    }
}
