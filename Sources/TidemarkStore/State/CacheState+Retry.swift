import TidemarkModel

extension CacheState {
    /// What became of a quarantined line that was read again.
    package enum RetryOutcome: Sendable {
        /// It took effect.
        case applied
        /// It can be used, but something newer is stored, or its log is over.
        case superseded
        /// It still cannot be used.
        case refused
    }

    /// Applies a quarantined line late, as one step; it was counted when it was put aside, and is not counted again.
    ///
    /// What a later event wrote stays. A sequenced event behind the cursor takes effect only where its sequence was
    /// declared lost, and is then lost no more; one without a sequence only on entities that were not written since.
    ///
    /// - Parameter batch: The line, decoded anew.
    /// - Parameter record: As the journal holds it; leaves quarantine unless the line is refused again.
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
        if let number = record.number { quarantineRemoved.append(number) }
        isUnwritten = true
        return outcome
    }

    private mutating func applyRetried(_ view: EventView, receivedAt: Int64, at now: Int64) -> RetryOutcome {
        let event = view.event
        let name = view.string(event.library) ?? configuration.defaultLibrary
        guard let library = name.bytes.withUnsafeBytes({ index(ofLibrary: $0) }),
            event.type.isAbsent || index(ofType: view.bytes[event.type]) != nil
        else { return .superseded }
        libraries[Int(library)].isChanged = true
        if let sequence = event.sequence, let cursor = libraries[Int(library)].gate.cursor, event.kind != .reset {
            let gate = libraries[Int(library)].gate
            if let epoch = epoch(of: view, in: library), let current = gate.epoch, epoch != current {
                return .superseded
            }
            if sequence <= cursor {
                guard gate.lost.contains(sequence) else { return .superseded }
                guard !isOversized(view, in: library) else { return .refused }
                defer { noteStatus(of: library, at: now) }
                if applyLate(view, sequence, in: library, at: now) { return .applied }
                // Held off, it is the only copy that there is.
                return libraries[Int(library)].gate.lost.contains(sequence) ? .refused : .superseded
            }
        }
        if event.sequence == nil, isWrittenSince(receivedAt, view, in: library) { return .superseded }
        guard !isOversized(view, in: library) else { return .refused }
        guard event.sequence != nil || event.kind == .reset else { return writeRetried(view, in: library, at: now) }
        offer(view, to: library, at: now)
        return .applied
    }

    /// Only what changes entities is worth doing late: a heartbeat or a refresh of then says nothing now.
    private mutating func writeRetried(_ view: EventView, in library: LibraryIndex, at now: Int64) -> RetryOutcome {
        beginUnit(isMulti: isMulti(view, in: library))
        defer { endUnit(at: now) }
        defer { if !layers.isEmpty { settle(by: view, in: library, at: now) } }
        switch view.event.kind {
        case .changed, .batchChanged:
            switch upsert(view, in: library, isLate: true, at: now) {
            case .written: return .applied
            case .superseded: return .superseded
            // Who called it looked at the size; an answer would be the same.
            case .tooLarge: return .refused
            }
        case .deleted:
            if mayHaveBeenNewer(view, in: library) { return .superseded }
            return delete(view, in: library, at: now) ? .applied : .superseded
        case .bulk, .refresh, .heartbeat, .reset, .unknown, .unusable, .message: return .applied
        }
    }

    /// Whether what an event deletes is evicted: it may have been made again since.
    private mutating func mayHaveBeenNewer(_ view: EventView, in library: LibraryIndex) -> Bool {
        guard let type = index(ofType: view.bytes[view.event.type]) else { return false }
        return view.ownMembers.contains {
            evicted.contains(identity(of: $0, in: view, library: library, type: type))
        }
    }

    /// Whether any entity that an event touches was written or deleted after a time.
    private mutating func isWrittenSince(_ time: Int64, _ view: EventView, in library: LibraryIndex) -> Bool {
        guard !view.event.type.isAbsent, let type = index(ofType: view.bytes[view.event.type]) else { return false }
        return view.ownMembers.contains { member in
            guard member.reason == nil else { return false }
            let identity = identity(of: member, in: view, library: library, type: type)
            if let index = entities.find(identity) { return entities.stamp(of: index).writtenAt > time }
            return tombstones[identity.storedKey].map { $0.deletedAt > time } ?? false
        }
    }
}
