import TidemarkModel

/// Writes an event's resources. What is already stored or deleted decides whether each one takes effect.
extension CacheState {
    /// Writes the resources of an event as entities.
    ///
    /// - Parameter isLate: True for a late event. An evicted entity may have been newer than it, and stays evicted
    ///   until the log's next write of it.
    /// - Returns: `.superseded` if a newer value kept every member from being written. `.tooLarge` only for an event
    ///   with one resource: members of a batch are quarantined one by one.
    mutating func upsert(
        _ view: EventView, in library: LibraryIndex, isLate: Bool = false, at now: Int64
    ) -> WriteOutcome {
        var result = WriteOutcome.superseded
        guard let type = admitType(view.bytes[view.event.type]) else {
            // No input reaches it: types are numbered before an event is admitted, and keep their numbers.
            preconditionFailure("a type lost its number")
        }
        let rules = mergeRules(of: view, type: type)
        let stamp = EntityStamp(
            sequence: view.event.sequence, generation: libraries[library].gate.generation, writtenAt: now,
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
                let later = entities.laterFields(of: index, than: stamp.sequence, generation: stamp.generation)
                guard let later else { return .superseded }
                return write(resource, into: index, rules: rules, keeping: later, stamp: stamp)
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
        // Without its base, a patch would be stored as only a part of the server's resource, so the entity stays
        // evicted until an event has the whole resource. The same holds while a response with a later position may have
        // delivered it.
        let isLate = isLate || mayBeAnswered(in: identity.library, beyond: stamp.sequence)
        if rules != nil || isLate, !wasDeleted, mayBeGone(identity) {
            noteWrite(of: identity.storedKey, stamp.sequence)
            return .superseded
        }
        guard resource.count <= entityByteCountMax else { return .tooLarge }
        if wasDeleted { removeTombstone(of: identity.storedKey) }
        noteWrite(of: insert(identity, resource, stamp: stamp), stamp.sequence)
        return .written
    }

    /// Returns the only stored entity that has one of the alternate ids; nil if there is none or more than one.
    func alternateMatch(_ rules: MergeRules, _ identity: EntityIdentity) -> SlotIndex? {
        var match: SlotIndex?
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

    /// Returns true if some response of the library has a later position in the log. An evicted entity may have had its
    /// value from that response.
    func mayBeAnswered(in library: LibraryIndex, beyond sequence: EventSequence?) -> Bool {
        guard let sequence, let answered = libraries[library].answeredThrough else { return false }
        return sequence <= answered
    }
}
