// Stage 4 of 7: admitted events → state. Before: SequenceGate. After: EntityStore, QueryIndex. Laws: L1, L4, L7.

import TidemarkModel

extension CacheState {
    /// Applies a batch of lines, in order.
    ///
    /// - Parameter now: Milliseconds since 1970.
    /// - Complexity: O(events + bytes) expected.
    package mutating func apply(_ batch: EventBatch, at now: Int64) {
        counts.lines += Int64(batch.lines.count)
        counts.blank += Int64(batch.blankCount)
        counts.control += Int64(batch.controlCount)
        applyEvents(of: batch, 0..<batch.events.count, at: now)
    }

    /// Applies the lines of a range of a batch's events, as ``EventBatch/lines(of:)`` gives them.
    package mutating func apply(_ batch: EventBatch, events: Range<Int>, at now: Int64) {
        if events == 0..<batch.events.count { return apply(batch, at: now) }
        let lines = batch.lines(of: events)
        counts.lines += Int64(lines.count)
        var isEvent = Set<UInt32>()
        for event in batch.events[events] { isEvent.insert(event.line) }
        for line in lines where !isEvent.contains(UInt32(line)) {
            if batch.isBlank(line) { counts.blank += 1 } else { counts.control += 1 }
        }
        applyEvents(of: batch, events, at: now)
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
                        from: index, in: batch, store: entities, library: libraryNames.lastIndex,
                        type: lastType?.index ?? 0)
                    let line = batch.lines[Int(event.line)]
                    let view = EventView(
                        event: event, members: members, bytes: bytes,
                        source: .line(batch.input, batch.firstLine + Int64(event.line)),
                        offset: batch.firstOffset + Int64(line.offset), byteCount: Int(line.count),
                        lineOffset: Int(line.offset))
                    switch event.kind {
                    case .message: counts.messages += 1
                    case .unusable: setAside(view, of: batch, at: now)
                    default: take(view, of: batch, at: now)
                    }
                }
            }
        }
    }

    /// Admits one usable event and, when its turn has come, applies it and the events held for it.
    mutating func take(_ view: EventView, of batch: EventBatch, at now: Int64) {
        let event = view.event
        guard event.sequence != nil || event.kind.concernsLibrary else {
            // Its library need not be known: the event touches no entity.
            count(view)
            if event.kind == .bulk || event.kind == .refresh { invalidate(by: view, at: now) }
            if !layers.isEmpty { settleUnsequenced(by: view, at: now) }
            return
        }
        let name = view.text(event.library)
        let library =
            if let name {
                index(ofLibrary: name)
            } else {
                configuration.defaultLibrary.bytes.withUnsafeBytes { index(ofLibrary: $0) }
            }
        guard let library else { return refuse(view, of: batch, because: .tooManyLibraries, at: now) }
        if !event.type.isAbsent, index(ofType: view.bytes[event.type]) == nil {
            return refuse(view, of: batch, because: .badType, at: now)
        }
        offer(view, to: library, at: now)
    }

    /// Writes an event's effect. Its sequence, if it has one, was admitted before.
    mutating func applyEffect(_ view: EventView, in library: LibraryIndex, at now: Int64) {
        let event = view.event
        // Without lists and observers there is no one to notify.
        let hasReaders = !queries.isEmpty
        if hasReaders { beginUnit(isMulti: isMulti(view, in: library)) }
        defer { if hasReaders { endUnit(at: now) } }
        switch event.kind {
        case .changed, .batchChanged:
            guard upsert(view, in: library, at: now) != .tooLarge else {
                return refuseOversized(view, in: library, at: now)
            }
            if event.isIndexOperation { invalidate(by: view, in: library, at: now) }
        case .deleted:
            _ = delete(view, in: library, at: now)
        case .heartbeat:
            // No input reaches it: a heartbeat without `last_sequence` is unusable, and never admitted.
            guard let last = event.lastSequence else { preconditionFailure("a heartbeat without last_sequence") }
            // An upstream's heartbeat is of the past: it takes its place in the log and has no other effect.
            if view.source == .upstream {
                count(view)
                return
            }
            hearHeartbeat(last, epoch: epoch(of: view, in: library), in: library, at: now)
        case .bulk:
            invalidate(by: view, in: library, at: now)
        case .refresh:
            invalidate(by: view, in: event.library.isAbsent ? nil : library, at: now)
        case .reset, .unknown:
            break
        case .unusable, .message:
            // No input reaches it: both kinds are sorted out before an event is admitted.
            preconditionFailure("\(event.kind) has no effect")
        }
        count(view)
        if !layers.isEmpty { settle(by: view, in: library, at: now) }
    }

    /// Writes the resources of an event as entities.
    ///
    /// - Parameter isLate: Whether the event is late. An evicted entity may have been newer than a late event: it stays
    ///   evicted until the log's next write of it.
    /// - Returns: `.superseded` when a newer value stood in the way of every member. `.tooLarge` for an event of one
    ///   resource only: members of a batch are set aside one by one.
    mutating func upsert(
        _ view: EventView, in library: LibraryIndex, isLate: Bool = false, at now: Int64
    ) -> WriteOutcome {
        var result = WriteOutcome.superseded
        guard let type = index(ofType: view.bytes[view.event.type]) else {
            // No input reaches it: types are numbered before an event is admitted, and keep their numbers.
            preconditionFailure("a type lost its number")
        }
        let rules = view.text(view.event.detail).map { MergeRules(metadata: $0) }
        let stamp = EntityStamp(
            sequence: view.event.sequence, generation: libraries[Int(library)].gate.generation, writtenAt: now,
            isPartial: rules != nil)
        for member in view.ownMembers {
            if let reason = member.reason {
                setAside(member, of: view, because: reason, at: now)
                continue
            }
            let identity = identity(of: member, in: view, library: library, type: type)
            let outcome = upsert(
                identity, resource: view.bytes[member.resource], rules: rules, isLate: isLate, stamp: stamp)
            switch outcome {
            case .written: result = .written
            case .superseded: break
            case .tooLarge:
                guard view.event.kind == .batchChanged else { return .tooLarge }
                setAside(member, of: view, because: .tooLarge, at: now)
            }
        }
        return result
    }

    private mutating func upsert(
        _ identity: EntityIdentity, resource: UnsafeRawBufferPointer, rules: MergeRules?, isLate: Bool,
        stamp: EntityStamp
    ) -> WriteOutcome {
        if let index = entities.find(identity) {
            if entities.stamp(of: index).isNewer(than: stamp.sequence, generation: stamp.generation) {
                return .superseded
            }
            return write(resource, into: index, rules: rules, keepsIdentity: false, stamp: stamp)
        }
        var wasDeleted = false
        if !tombstones.isEmpty {
            let key = identity.storedKey
            if let tombstone = tombstones[key] {
                wasDeleted = true
                let deleted = EntityStamp(
                    sequence: tombstone.sequence, generation: tombstone.generation, writtenAt: tombstone.deletedAt)
                if deleted.isNewer(than: stamp.sequence, generation: stamp.generation) { return .superseded }
            }
        }
        if let rules, let index = alternateMatch(rules, identity) {
            return write(resource, into: index, rules: rules, keepsIdentity: true, stamp: stamp)
        }
        // A patch without its base would be stored as only a part of the server's resource: the entity stays evicted
        // until it comes whole. The same holds while an answer that may have brought it stands for a later place than
        // the event.
        let isLate = isLate || mayBeAnswered(in: identity.library, beyond: stamp.sequence)
        if rules != nil || isLate, !wasDeleted, mayBeGone(identity) {
            noteWrite(of: identity.storedKey, stamp.sequence)
            return .superseded
        }
        guard resource.count <= entityByteCountMax else { return .tooLarge }
        if wasDeleted { tombstones.remove(identity.storedKey) }
        noteWrite(of: insert(identity, resource, stamp: stamp), stamp.sequence)
        return .written
    }

    /// Stores a new entity, and adds it to the lists it belongs to.
    @discardableResult
    mutating func insert(
        _ identity: EntityIdentity, _ resource: UnsafeRawBufferPointer, stamp: EntityStamp
    ) -> UInt32 {
        if !evicted.isEmpty { evicted.remove(identity) }
        let index = entities.insert(identity, payload: resource, stamp: stamp)
        libraries[Int(identity.library)].entityCount += 1
        if isUnstored(identity.type) { libraries[Int(identity.library)].unstoredCount += 1 }
        libraries[Int(identity.library)].isChanged = true
        if !queries.isEmpty { followInsert(of: index, at: stamp.writtenAt) }
        return index
    }

    mutating func write(
        _ resource: UnsafeRawBufferPointer, into index: UInt32, rules: MergeRules?, keepsIdentity: Bool,
        stamp: EntityStamp
    ) -> WriteOutcome {
        guard let rules else {
            guard resource.count <= entityByteCountMax else { return .tooLarge }
            overwrite(index, resource, stamp: stamp)
            noteWrite(of: index, stamp.sequence)
            return .written
        }
        // A merge into fields that an answer brought keeps only the fields an answer would: lists give them out as
        // everything there is.
        if !entities.completeness(of: index).isEvaluable {
            let known = Merge.knowable(
                resource, over: entities.payload(of: index), noMergeFields: rules.noMergeFields)
            return known.withUnsafeBytes {
                merge($0, into: index, rules: rules, keepsIdentity: keepsIdentity, stamp: stamp)
            }
        }
        return merge(resource, into: index, rules: rules, keepsIdentity: keepsIdentity, stamp: stamp)
    }

    private mutating func merge(
        _ resource: UnsafeRawBufferPointer, into index: UInt32, rules: MergeRules, keepsIdentity: Bool,
        stamp: EntityStamp
    ) -> WriteOutcome {
        let merged = Merge.merged(
            resource, into: entities.payload(of: index), noMergeFields: rules.noMergeFields,
            keepsIdentity: keepsIdentity)
        guard merged.count <= entityByteCountMax else { return .tooLarge }
        let fields = JSONObject.fieldNames(of: resource)
        merged.withUnsafeBytes { overwrite(index, $0, fields: fields, stamp: stamp) }
        noteWrite(of: index, stamp.sequence)
        return .written
    }

    /// Gives an entity a new value, and updates lists when the value changed.
    ///
    /// - Parameter fields: The top-level fields that were written; nil when all were.
    mutating func overwrite(
        _ index: UInt32, _ resource: UnsafeRawBufferPointer, fields: [ByteString]? = nil, stamp: EntityStamp
    ) {
        guard !queries.isEmpty else {
            _ = entities.write(index, payload: resource, stamp: stamp, fields: fields)
            return
        }
        let handle = remember(index)
        let completeness = entities.completeness(of: index)
        // Becoming complete is a change for readers, even when the bytes are equal.
        if entities.write(index, payload: resource, stamp: stamp, fields: fields)
            || completeness != entities.completeness(of: index)
        {
            followWrite(of: index, handle: handle, at: stamp.writtenAt)
        }
        if let handle { noteOutlived(handle, by: stamp) }
    }

    /// Removes an entity from the store, with its row.
    ///
    /// - Returns: The entity's number in the reverse index; nil when nothing names it.
    mutating func drop(_ index: UInt32) -> UInt32? {
        let library = entities.library(of: index)
        let handle = remember(index)
        if isUnstored(entities.type(of: index)) { libraries[Int(library)].unstoredCount -= 1 }
        entities.remove(index)
        libraries[Int(library)].entityCount -= 1
        libraries[Int(library)].isChanged = true
        return handle
    }

    /// Remembers a write for answers that are on their way.
    mutating func noteWrite(of index: UInt32, _ sequence: EventSequence?) {
        if isAwaitingAnswers { noteWrite(of: entities.key(of: index), sequence) }
    }

    /// Remembers a write of an entity that stays evicted: an answer made before it must not bring the old value back.
    mutating func noteWrite(of key: StoredKey, _ sequence: EventSequence?) {
        guard isAwaitingAnswers else { return }
        recentWrites.append(key, sequence: sequence, isLate: queries.unit.lateSequence != nil)
    }

    /// Returns the one stored entity that has one of the alternate ids; nil when there is none or more than one.
    func alternateMatch(_ rules: MergeRules, _ identity: EntityIdentity) -> UInt32? {
        var match: UInt32?
        for id in rules.alternateIDs {
            let index = withIdentity(StoredKey(library: identity.library, type: identity.type, id: id)) {
                entities.find($0)
            }
            guard let index, index != match else { continue }
            if match != nil { return nil }
            match = index
        }
        return match
    }

    /// Tells whether some answer of the library stands for a later place in the log: an evicted entity may have had
    /// that answer's value.
    func mayBeAnswered(in library: LibraryIndex, beyond sequence: EventSequence?) -> Bool {
        guard let sequence, let answered = libraries[Int(library)].answeredThrough else { return false }
        return sequence <= answered
    }

    /// Counts an event in its bin. Events from an upstream have a bin of their own.
    mutating func count(_ view: EventView) {
        let event = view.event
        if event.kind == .unknown { countIgnored(view) }
        if view.source == .upstream {
            counts.reconciled += 1
        } else if event.kind == .unknown {
            counts.ignored += 1
        } else {
            counts.applied += 1
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

    /// The name under which further kinds are counted together once there are too many names; no kind on the wire has
    /// this name.
    package static let otherKinds: ByteString = "…"
}

extension ChangeEvent.Kind {
    /// Whether an event of this kind makes its library known even without a sequence.
    var concernsLibrary: Bool {
        switch self {
        case .changed, .batchChanged, .deleted, .heartbeat, .reset: true
        case .bulk, .refresh, .unknown, .unusable, .message: false
        }
    }
}
