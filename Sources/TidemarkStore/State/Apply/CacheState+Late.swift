// Stage 4 of 7, for events whose sequences were declared lost. Before: SequenceGate. After: EntityStore, QueryIndex.
// Laws: L4, L7.

import TidemarkJSON
import TidemarkModel

/// Applies late events, which arrive after their sequences were declared lost.
///
/// - Source: Protocol/sequencing.md, late events.
extension CacheState {
    /// What one late write did.
    private enum LateEffect {
        case written
        /// Nothing was written, because later writes have replaced all of it.
        case superseded
        /// Nothing was written, and the entity may lack some of the write.
        case heldOff
        /// Nothing was written, because the entity would be too large.
        case tooLarge
    }

    /// Applies an event whose sequence was declared lost, as one unit. The cursor does not move.
    ///
    /// The sequence is removed from the lost ranges, unless a write was held off or there would be too many ranges. In
    /// these cases a copy of the event is late again, and changes nothing.
    ///
    /// - Returns: True if anything was written or invalidated.
    @discardableResult
    mutating func applyLate(
        _ view: EventView, _ sequence: EventSequence, in library: LibraryIndex, at now: Int64
    ) -> Bool {
        counts.late += 1
        tallies.add(.late, view.source)
        libraries[library].isChanged = true
        // Without lists and observers there is nobody to notify.
        let hasReaders = !queries.isEmpty || !followedTypes.isEmpty
        if hasReaders { beginUnit(isMulti: isMulti(view, in: library)) }
        queries.recorder.beginLate(sequence)
        let creation = creation(in: view, in: library)
        let isCopy = libraries[library].heldOff.contains(sequence)
        keptEvents.open(view.content)
        defer { keptEvents.close() }
        let effects = writeLate(view, sequence, isCopy: isCopy, in: library, at: now)
        if view.event.kind == .changed, effects == [.tooLarge] {
            refuseLateOversized(view, isCopy: isCopy, in: library, at: now)
        } else {
            count(view, at: now)
            keptEvents.close()
            // A mutation whose result is not stored must not settle a layer.
            if !view.event.mutationID.isAbsent, !layers.isEmpty {
                settleNamed(by: view, creation, in: library, at: now)
            }
        }
        queries.recorder.endLate()
        if hasReaders { endUnit(at: now) }
        if !effects.contains(.heldOff), !effects.contains(.tooLarge) { recover(view, sequence, in: library) }
        noteHeldOff(sequence, in: library)
        return effects.contains(.written)
    }

    /// Remembers the sequence of a late event while it stays lost.
    private mutating func noteHeldOff(_ sequence: EventSequence, in library: LibraryIndex) {
        if !libraries[library].gate.lost.contains(sequence) {
            libraries[library].heldOff.remove(sequence)
        } else if libraries[library].heldOff.count < LibraryEntry.heldOffCountMax {
            libraries[library].heldOff.insert(sequence)
        }
    }

    /// Removes the sequence of an event that was applied late from the lost ones, and with it the sequences that its
    /// `prev` skips.
    private mutating func recover(_ view: EventView, _ sequence: EventSequence, in library: LibraryIndex) {
        let first = view.event.previous.map { min($0.successor, sequence) } ?? sequence
        recover(LostRange(first: first, last: sequence), in: library)
    }

    /// Removes a range from the lost sequences. If none are left, the library stays stale only while one of its queries
    /// is.
    mutating func recover(_ range: LostRange, in library: LibraryIndex) {
        libraries[library].gate.recover(range)
        guard libraries[library].gate.lost.isEmpty else { return }
        let isAnyStale = queries.all.contains { query in
            queries[query].library == library && queries[query].isStored && queries[query].staleSince != nil
        }
        if !isAnyStale { libraries[library].gate.clearLoss() }
    }

    /// Writes the members of a late event.
    ///
    /// - Parameter isCopy: True if the event was late before, and its sequence stayed lost.
    private mutating func writeLate(
        _ view: EventView, _ sequence: EventSequence, isCopy: Bool, in library: LibraryIndex, at now: Int64
    ) -> [LateEffect] {
        switch view.event.kind {
        case .changed, .batchChanged:
            let effects = upsertLate(view, sequence, isCopy: isCopy, in: library, at: now)
            if view.event.isIndexOperation, !isCopy { invalidate(by: view, in: library, at: now) }
            return effects
        case .deleted:
            return [deleteLate(view, sequence, in: library, at: now)]
        case .bulk, .refresh, .heartbeat, .reset, .unknown:
            return isCopy ? [] : followLate(view, in: library, at: now)
        case .unusable, .message:
            // No input reaches it: both kinds are handled before the gate decides.
            preconditionFailure("\(view.event.kind) has no effect")
        }
    }

    /// Applies a late event without members.
    private mutating func followLate(_ view: EventView, in library: LibraryIndex, at now: Int64) -> [LateEffect] {
        switch view.event.kind {
        case .bulk:
            invalidate(by: view, in: library, at: now)
            return [.written]
        case .refresh:
            invalidate(by: view, in: view.event.library.isAbsent ? nil : library, at: now)
            return [.written]
        // A heartbeat is of the past, and a reset to the current log has taken effect before.
        default:
            return []
        }
    }

    // MARK: Upserts

    private mutating func upsertLate(
        _ view: EventView, _ sequence: EventSequence, isCopy: Bool, in library: LibraryIndex, at now: Int64
    ) -> [LateEffect] {
        guard let type = admitType(view.bytes[view.event.type]) else {
            // No input reaches it: an event whose type gets no index is quarantined before the gate decides.
            preconditionFailure("a type lost its number")
        }
        let rules = mergeRules(of: view, type: type)
        let stamp = EntityStamp(
            sequence: sequence, generation: libraries[library].gate.generation, writtenAt: now,
            isPartial: rules != nil)
        var effects: [LateEffect] = []
        // An event may write an entity twice: its own first write does not count as a later one.
        var written: Set<StoredKey> = []
        for member in view.ownMembers {
            if let reason = member.reason {
                if !isCopy { setAside(member, of: view, because: reason, at: now) }
                continue
            }
            let identity = identity(of: member, in: view, library: library, type: type)
            let effect = upsertLate(
                identity, view.bytes[member.resource], rules, stamp, sequence, written: &written)
            if effect == .tooLarge, view.event.kind == .batchChanged, !isCopy {
                setAside(member, of: view, because: .tooLarge, at: now)
            }
            effects.append(effect)
        }
        return effects
    }

    private mutating func upsertLate(
        _ identity: EntityIdentity, _ resource: UnsafeRawBufferPointer, _ rules: MergeRules?, _ stamp: EntityStamp,
        _ sequence: EventSequence, written: inout Set<StoredKey>
    ) -> LateEffect {
        if let index = entities.find(identity) {
            return writeLate(
                resource, into: index, rules, keepsIdentity: false, stamp, sequence, written: &written)
        }
        let key = identity.storedKey
        let tombstone = tombstones.isEmpty ? nil : tombstones[key]
        if let tombstone, tombstone.generation == stamp.generation {
            guard let deletedAt = tombstone.sequence else { return .heldOff }
            if deletedAt >= sequence { return .superseded }
        }
        if let rules, let index = alternateMatch(rules, identity) {
            return writeLate(
                resource, into: index, rules, keepsIdentity: true, stamp, sequence, written: &written)
        }
        if tombstone == nil, isForgotten(identity, through: sequence) { return .heldOff }
        guard resource.count <= entityByteCountMax else { return .tooLarge }
        if tombstone != nil { removeTombstone(of: key) }
        noteWrite(of: insert(identity, resource, stamp: stamp), sequence)
        written.insert(key)
        return .written
    }

    /// Writes to an entity, unless it was last written at the event's sequence or above.
    private mutating func writeLate(
        _ resource: UnsafeRawBufferPointer, into index: SlotIndex, _ rules: MergeRules?, keepsIdentity: Bool,
        _ stamp: EntityStamp, _ sequence: EventSequence, written: inout Set<StoredKey>
    ) -> LateEffect {
        let stored = entities.stamp(of: index)
        if stored.generation == stamp.generation {
            // A write without a sequence may have been made before the event or after it.
            guard let own = stored.sequence else { return .heldOff }
            let isOwn = own == sequence && !written.isEmpty && written.contains(entities.key(of: index))
            if own > sequence || own == sequence && !isOwn {
                let fields = JSONObject.fieldNames(of: resource)
                let isSuperseded = entities.isSuperseded(
                    rules == nil ? .replacement(fields) : .merge(fields), at: sequence,
                    generation: stamp.generation, in: index)
                return isSuperseded ? .superseded : .heldOff
            }
        }
        let outcome = write(resource, into: index, rules: rules, keepsIdentity: keepsIdentity, stamp: stamp)
        guard outcome != .tooLarge else { return .tooLarge }
        written.insert(entities.key(of: index))
        return .written
    }

    // MARK: Deletes

    private mutating func deleteLate(
        _ view: EventView, _ sequence: EventSequence, in library: LibraryIndex, at now: Int64
    ) -> LateEffect {
        guard let type = admitType(view.bytes[view.event.type]), let member = view.ownMembers.first else {
            // No input reaches it: the decoder gives a delete a type and one member, or calls the line unusable.
            preconditionFailure("a delete without a type or an id")
        }
        let generation = libraries[library].gate.generation
        let identity = identity(of: member, in: view, library: library, type: type)
        let key = identity.storedKey
        if let index = entities.find(identity) {
            let stored = entities.stamp(of: index)
            if stored.generation == generation {
                guard let own = stored.sequence else { return .heldOff }
                if own >= sequence {
                    return entities.isSuperseded(.deletion, at: sequence, generation: generation, in: index)
                        ? .superseded : .heldOff
                }
            }
        } else if let tombstone = tombstones[key], tombstone.generation == generation {
            guard let deletedAt = tombstone.sequence, deletedAt < sequence else { return .superseded }
        } else if tombstones[key] == nil, isForgotten(identity, through: sequence) {
            return .heldOff
        }
        let tombstone = Tombstone(sequence: sequence, generation: generation, deletedAt: now)
        let along = view.event.isDeparture ? [] : cascade(from: key, tombstone, isLate: true)
        delete(key, tombstone)
        if view.event.isDeparture { failRequests(about: key) }
        delete(along: along, tombstone)
        noteWrite(of: key, sequence)
        return .written
    }

    // MARK: Unknown keys

    /// Returns true if an absent key may have had a value newer than a sequence, of which no record remains.
    private func isForgotten(_ identity: EntityIdentity, through sequence: EventSequence) -> Bool {
        if mayBeGone(identity) { return true }
        return libraries[identity.library].forgottenThrough.map { sequence <= $0 } ?? false
    }

    /// Records that the memory of a library's keys is incomplete. Late events up to the highest sequence known now may
    /// be older than a forgotten value.
    mutating func noteForgotten(in library: LibraryIndex) {
        guard let known = knownThrough(library), known != libraries[library].forgottenThrough else { return }
        libraries[library].forgottenThrough = known
        libraries[library].isChanged = true
    }

    // MARK: Lists

    /// Returns true if a late event may put an entity into a list. It may not if the list's response has the event's
    /// sequence or a later one as its position, because that response left the entity out.
    ///
    /// If the position is unknown, the list becomes stale instead.
    mutating func admitsLate(_ query: QueryID, at now: Int64) -> Bool {
        guard let sequence = queries.recorder.lateSequence, !queries[query].isLocal else { return true }
        guard let listed = queries[query].listedThrough else {
            markStale(query, because: .list, at: now)
            return false
        }
        return listed < sequence
    }
}
