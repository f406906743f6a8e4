import TidemarkModel

/// Deletes that a server reports in a response.
extension CacheState {
    /// Returns the keys that a delete touches and that only the journal may have.
    package func keysToLoad(forDeleteOf key: EntityKey) -> [StoredKey] {
        keysToLoad(for: [.delete(type: key.type, id: key.id)], in: key.library)
    }

    /// Deletes an entity at the position of a response, unless a newer value is known. The tombstone holds off events
    /// up to that position.
    ///
    /// - Parameters:
    ///   - key: The entity.
    ///   - asOf: The position that the server named. nil means the cursor when the request was made.
    ///   - start: What was known when the request was made; nil if it is made now.
    /// - Precondition: The keys of ``keysToLoad(forDeleteOf:)`` were loaded.
    /// - Returns: True if the entity was deleted.
    package mutating func delete(
        _ key: EntityKey, asOf: EventSequence?, start: FetchStart?, at now: Int64
    ) -> Bool {
        guard !isCleared(key.library, since: start), let library = libraries.index(of: key.library),
            let stored = storedKey(of: key)
        else { return false }
        if !isAwaitingAnswers { forgetRecentWrites() }
        var sequence = asOf
        var start = start
        let generation = libraries[library].gate.generation
        if let begun = start, begun.generation != generation {
            // The log was replaced, so the response's position cannot be compared with anything.
            sequence = nil
            start?.cursor = nil
        }
        let newer = newerWrites(asOf: sequence, start: start, in: library)
        var place = sequence ?? (start.map(\.cursor) ?? cursor(of: library))
        if let index = withIdentity(stored, { entities.find($0) }) {
            let stamp = entities.stamp(of: index)
            guard !isNewer(stamp, stored, than: newer, generation: generation) else { return false }
            // A delete without a position must not lower the entity's own sequence.
            if sequence == nil, stamp.generation == generation, let own = stamp.sequence {
                place = max(place ?? own, own)
            }
        } else if withIdentity(stored, { residency.wasEvicted($0) }) {
            guard !mayBePast(stored, newer) else { return false }
        } else {
            return false
        }
        isUnwritten = true
        libraries[library].isChanged = true
        beginUnit(isMulti: true)
        let tombstone = Tombstone(sequence: place, generation: generation, deletedAt: now)
        let along = cascade(from: stored, tombstone)
        noteWrite(of: stored, place)
        delete(stored, tombstone)
        delete(along: along, tombstone)
        dropLayersOfEndedLog(at: now)
        endUnit(at: now)
        noteStatus(of: library, at: now)
        return true
    }
}
