import TidemarkModel

/// Cascading deletes: entities that the policy's cascading fields of a deleted entity refer to are deleted with it, and
/// so on from there.
extension CacheState {
    /// Returns the entities that are deleted along with the roots, each once, the nearest first; without the roots.
    ///
    /// At most `cascadeCountMax`; entities beyond that number stay.
    ///
    /// - Parameters:
    ///   - isGoing: Tells whether an entity exists and would be deleted. An entity that stays protects the entities
    ///     that it refers to.
    ///   - resource: Returns the resource of an entity that is deleted.
    /// - Precondition: The entities that ``keysToLoad(forCascadeFrom:written:)`` names are in memory.
    /// - Complexity: O(resources of the deleted entities).
    private func cascade(
        from roots: [StoredKey], isGoing: (StoredKey) -> Bool, resource: (StoredKey) -> [UInt8]?
    ) -> [StoredKey] {
        guard !cascades.isEmpty else { return [] }
        var seen = Set(roots)
        var queue = roots
        var next = 0
        while next < queue.count, queue.count - roots.count < configuration.limits.cascadeCountMax {
            let key = queue[next]
            next += 1
            let type = types.name(of: key.type)
            guard cascades.concern(type), let resource = resource(key) else { continue }
            for other in references(of: key, in: resource) where seen.insert(other).inserted && isGoing(other) {
                queue.append(other)
            }
        }
        return Array(queue[roots.count...].prefix(configuration.limits.cascadeCountMax))
    }

    /// Returns the keys that a resource refers to; a reference to a type without a number has no entity and is skipped.
    private func references(of key: StoredKey, in resource: [UInt8]) -> [StoredKey] {
        var found: [StoredKey] = []
        resource.withUnsafeBytes { resource in
            cascades.forEachReference(of: types.name(of: key.type), in: resource) { type, id in
                guard let index = types.index(ofOwnName: type) else { return }
                found.append(StoredKey(library: key.library, type: index, id: id))
            }
        }
        return found
    }

    func storedResource(_ key: StoredKey) -> [UInt8]? {
        withIdentity(key) { entities.find($0) }.map { Array(entities.payload(of: $0)) }
    }

    // MARK: Causes of a cascade

    /// Returns the entities that a delete by the server takes along: all except newer ones.
    ///
    /// - Parameter isLate: Whether the delete comes out of order. An entity that was written at the delete's own
    ///   number, or without a number since the log began, may be newer, and stays.
    func cascade(from key: StoredKey, _ tombstone: Tombstone, isLate: Bool = false) -> [StoredKey] {
        cascade(
            from: [key],
            isGoing: { key in
                guard let index = withIdentity(key, { entities.find($0) }) else { return false }
                let stamp = entities.stamp(of: index)
                if isLate, stamp.generation == tombstone.generation {
                    guard let own = stamp.sequence, let deleted = tombstone.sequence else { return false }
                    return own < deleted
                }
                return !stamp.isNewer(than: tombstone.sequence, generation: tombstone.generation)
            }, resource: { storedResource($0) })
    }

    /// Returns the entities that a removal takes along. A removed entity need not be in memory when its type refers to
    /// nothing.
    package func cascade(fromRemovalOf keys: [StoredKey]) -> [StoredKey] {
        cascade(
            from: keys, isGoing: { withIdentity($0) { entities.find($0) } != nil },
            resource: { storedResource($0) })
    }

    /// Returns the entities that a delete takes along in the middle of changes that are made together.
    ///
    /// - Parameters:
    ///   - changed: Returns the value that earlier changes gave an entity: outer nil when they did not touch it, inner
    ///     nil when they deleted it.
    ///   - isVisible: Whether to read what pending layers show, instead of what is stored.
    func cascade(
        from key: StoredKey, over changed: (StoredKey) -> [UInt8]??, isVisible: Bool
    ) -> [StoredKey] {
        cascade(
            from: [key], isGoing: { resource($0, over: changed, isVisible: isVisible) != nil },
            resource: { resource($0, over: changed, isVisible: isVisible) })
    }

    private func resource(
        _ key: StoredKey, over changed: (StoredKey) -> [UInt8]??, isVisible: Bool
    ) -> [UInt8]? {
        if let changed = changed(key) { return changed }
        return isVisible ? visibleResource(key) : storedResource(key)
    }

    /// Returns an entity as readers see it, layers included; nil when memory has nothing to show.
    func visibleResource(_ key: StoredKey) -> [UInt8]? {
        guard let handle = queries.keys.handle(of: key) else { return storedResource(key) }
        return withPayload(of: handle) { Array($0) }
    }

    /// Deletes the cascaded entities in the same unit, with the tombstone of the delete that caused it.
    mutating func delete(along keys: [StoredKey], _ tombstone: Tombstone) {
        for key in keys {
            // A long cascade can push tombstones out before the journal has them.
            residency.forget(key)
            delete(key, tombstone)
            noteWrite(of: key, tombstone.sequence)
        }
    }

    // MARK: Loading

    /// The links of a pending write that lead from one entity to others.
    struct CascadeSources {
        /// The entities that are to be deleted.
        var roots: [StoredKey] = []
        /// The keys that earlier written resources refer to, by the key of the resource.
        var references: [StoredKey: [StoredKey]] = [:]
    }

    /// Returns entities that may be deleted along, as far as is known, and that only the journal may have.
    ///
    /// Called again once they are loaded, it names the entities that those refer to. It follows everything that is
    /// stored, visible or about to be written: an entity too many is only read.
    func keysToLoad(forCascadeFrom sources: CascadeSources) -> Set<StoredKey> {
        guard residency.hasAbsent, !cascades.isEmpty else { return [] }
        var seen = Set(sources.roots)
        var queue = sources.roots
        var missing: Set<StoredKey> = []
        var next = 0
        while next < queue.count, queue.count - sources.roots.count < configuration.limits.cascadeCountMax {
            let key = queue[next]
            next += 1
            if !isKnown(key) { missing.insert(key) }
            guard cascades.concern(types.name(of: key.type)) else { continue }
            var others = sources.references[key] ?? []
            for resource in [storedResource(key), isLayered(key) ? visibleResource(key) : nil] {
                if let resource { others += references(of: key, in: resource) }
            }
            for other in others where seen.insert(other).inserted { queue.append(other) }
        }
        return missing
    }

    /// Adds the references of a resource that is written.
    ///
    /// - Parameter ids: The ids under which it may be stored.
    func note(
        _ resource: UnsafeRawBufferPointer, of wireType: ByteString, _ ids: [StoredID], in library: LibraryIndex,
        into sources: inout CascadeSources
    ) {
        let type = types.ownName(of: wireType)
        guard cascades.concern(type) else { return }
        var found: [StoredKey] = []
        cascades.forEachReference(of: type, in: resource) { type, id in
            guard let index = types.index(ofOwnName: type) else { return }
            found.append(StoredKey(library: library, type: index, id: id))
        }
        guard let index = types.index(ofOwnName: type) else {
            // A type that is new with this very batch has no number, so no key can be made for it.
            sources.roots += found
            return
        }
        for id in ids {
            sources.references[StoredKey(library: library, type: index, id: id), default: []] += found
        }
    }
}
