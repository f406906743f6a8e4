import TidemarkModel

/// Cascading deletes: when an entity is deleted, the entities to which its cascading fields refer are deleted too, and
/// so on.
extension CacheState {
    /// Returns the entities that are deleted along with the roots, each once, nearest first, without the roots
    /// themselves.
    ///
    /// At most `cascadeCountMax`; entities beyond that number stay.
    ///
    /// - Parameters:
    ///   - roots: The entities that are deleted.
    ///   - isGoing: Returns true if an entity exists and would be deleted. One that stays also protects the entities to
    ///     which it refers.
    ///   - resource: Returns the resource of an entity that is deleted.
    /// - Precondition: The entities that ``keysToLoad(forCascadeFrom:)`` returned are in memory.
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

    /// Returns the keys to which a resource refers. References to unknown types have no entity and are skipped.
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

    /// Returns the entities that a server's delete cascades to: all except newer ones.
    ///
    /// - Parameter isLate: True if the delete is late. An entity that was written at the delete's own sequence, or
    ///   without a sequence since the log began, may be newer and stays.
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

    /// Returns the entities that a removal cascades to. A removed entity need not be in memory if its type refers to no
    /// other.
    package func cascade(fromRemovalOf keys: [StoredKey]) -> [StoredKey] {
        cascade(
            from: keys, isGoing: { withIdentity($0) { entities.find($0) } != nil },
            resource: { storedResource($0) })
    }

    /// Returns the entities that a delete cascades to, in the middle of changes that are made together.
    ///
    /// - Parameters:
    ///   - key: The entity that is deleted.
    ///   - changed: Returns the value that earlier changes gave to an entity: outer nil if they did not touch it, inner
    ///     nil if they deleted it.
    ///   - isVisible: True to read what pending layers show, false to read what is stored.
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

    /// Returns an entity as readers see it, with its layers; nil if memory has nothing to show.
    func visibleResource(_ key: StoredKey) -> [UInt8]? {
        guard let handle = queries.keys.handle(of: key) else { return storedResource(key) }
        return withPayload(of: handle) { Array($0) }
    }

    /// Deletes the cascaded entities in the same unit, with the tombstone of the delete that caused it.
    mutating func delete(along keys: [StoredKey], _ tombstone: Tombstone) {
        for key in keys {
            // A long cascade can displace tombstones before the journal has them.
            residency.forget(key)
            delete(key, tombstone)
            noteWrite(of: key, tombstone.sequence)
        }
    }

    // MARK: Loading

    /// From which entities pending writes cascade, and to which other ones.
    struct CascadeSources {
        /// The entities that will be deleted.
        var roots: [StoredKey] = []
        /// For resources that are about to be written, the keys to which they refer; by the key of the resource.
        var references: [StoredKey: [StoredKey]] = [:]
    }

    /// Returns entities that may be deleted along, as far as is known, and that only the journal may have.
    ///
    /// Once they are loaded, another call returns those to which they refer. It follows everything that is stored,
    /// visible or about to be written: an entity too many is only read.
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

    /// Adds the references of a resource that is about to be written.
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
            // A type that is new with this very batch has no index, so no key can be made for it.
            sources.roots += found
            return
        }
        for id in ids {
            sources.references[StoredKey(library: library, type: index, id: id), default: []] += found
        }
    }
}
