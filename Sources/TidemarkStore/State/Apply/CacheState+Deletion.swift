import TidemarkModel

/// Deletes by the server.
extension CacheState {
    /// Applies a delete, and cascades it as the policy demands.
    ///
    /// - Returns: False if the entity is, or may have been, newer than the delete.
    mutating func delete(_ view: EventView, in library: LibraryIndex, at now: Int64) -> Bool {
        guard let type = admitType(view.bytes[view.event.type]), let member = view.ownMembers.first else {
            // No input reaches it: a delete without a type or an id is unusable, and never admitted.
            preconditionFailure("a delete without a type or an id")
        }
        let generation = libraries[library].gate.generation
        let identity = identity(of: member, in: view, library: library, type: type)
        if let index = entities.find(identity),
            entities.stamp(of: index).isNewer(than: view.event.sequence, generation: generation)
        {
            if let later = entities.laterFields(of: index, than: view.event.sequence, generation: generation) {
                let stamp = EntityStamp(sequence: view.event.sequence, generation: generation, writtenAt: now)
                removeEarlierFields(of: index, keeping: later, stamp: stamp)
            }
            return false
        }
        let key = identity.storedKey
        noteWrite(of: key, view.event.sequence)
        // The evicted value may have been newer than the delete.
        if residency.wasEvicted(identity), mayBeAnswered(in: library, beyond: view.event.sequence) { return false }
        let tombstone = Tombstone(sequence: view.event.sequence, generation: generation, deletedAt: now)
        // What depends on an entity that left may still be visible; its own departure is an event of its own.
        let along = view.event.isDeparture ? [] : cascade(from: key, tombstone)
        delete(key, tombstone)
        if view.event.isDeparture { failRequests(about: key) }
        delete(along: along, tombstone)
        return true
    }

    /// Removes an entity, if it exists, from the store and from every list, and leaves a tombstone.
    mutating func delete(_ key: StoredKey, _ tombstone: Tombstone) {
        var handle = queries.isEmpty ? nil : queries.keys.handle(of: key)
        if let index = withIdentity(key, { entities.find($0) }) { handle = drop(index) ?? handle }
        if residency.hasEvicted { key.withIdentity(seed: entities.seed) { residency.noteKnown($0) } }
        noteBefore(key)
        noteForgotten(tombstonesOf: tombstones.insert(tombstone, for: key))
        if let handle { followDelete(handle, at: tombstone.deletedAt) }
        if let handle { noteEndedLog(handle, generation: tombstone.generation) }
    }

    /// Removes a key's tombstone, because its entity is stored again. No effect without one.
    mutating func removeTombstone(of key: StoredKey) {
        noteBefore(key)
        tombstones.remove(key)
    }
}
