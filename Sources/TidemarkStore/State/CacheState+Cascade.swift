import TidemarkModel

/// What is deleted along with an entity: what the policy's cascading fields of it refer to, and so on from there.
extension CacheState {
    /// What goes with entities that go, each once, those nearest to them first; without the entities themselves.
    ///
    /// At most `cascadeCountMax`; what lies behind them stays.
    ///
    /// - Parameters:
    ///   - isGoing: Whether an entity is there and would go. Where one stays, so does what it refers to.
    ///   - resource: Of an entity that goes.
    /// - Precondition: What ``keysToLoad(forCascadeFrom:written:)`` names is in memory.
    /// - Complexity: O(their resources).
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
            let type = typeNames.names[Int(key.type)]
            guard cascades.concern(type), let resource = resource(key) else { continue }
            for other in references(of: key, in: resource) where seen.insert(other).inserted && isGoing(other) {
                queue.append(other)
            }
        }
        return Array(queue[roots.count...].prefix(configuration.limits.cascadeCountMax))
    }

    /// What a resource refers to under the database's numbers; a type without one has no entity.
    private func references(of key: StoredKey, in resource: [UInt8]) -> [StoredKey] {
        var found: [StoredKey] = []
        resource.withUnsafeBytes { resource in
            cascades.forEachReference(of: typeNames.names[Int(key.type)], in: resource) { type, id in
                guard let index = typeNames.existingIndex(of: type) else { return }
                found.append(StoredKey(library: key.library, type: index, id: id))
            }
        }
        return found
    }

    func storedResource(_ key: StoredKey) -> [UInt8]? {
        withIdentity(key) { entities.find($0) }.map { Array(entities.payload(of: $0)) }
    }

    // MARK: Who asks

    /// The entities that a delete of the server's takes along: all but newer ones.
    ///
    /// - Parameter isLate: The delete comes out of order. What was written at its own number, or without a number since the log
    ///   began, may be newer, and stays.
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

    /// What a removal takes along; what is removed need not be in memory where it refers to nothing.
    package func cascade(fromRemovalOf keys: [StoredKey]) -> [StoredKey] {
        cascade(
            from: keys, isGoing: { withIdentity($0) { entities.find($0) } != nil },
            resource: { storedResource($0) })
    }

    /// What a delete takes along in the middle of changes that are made together.
    ///
    /// - Parameters:
    ///   - changed: What the changes before it made of an entity; nil when they left it alone, nil inside for nothing.
    ///   - isVisible: Look at what pending layers show, not at what is stored.
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

    /// An entity as readers see it, layers included; nil when memory has nothing to show.
    func visibleResource(_ key: StoredKey) -> [UInt8]? {
        guard let handle = queries.keys.handle(of: key) else { return storedResource(key) }
        return withPayload(of: handle) { Array($0) }
    }

    /// Deletes in one unit what went along, with the tombstone of what took it.
    mutating func delete(along keys: [StoredKey], _ tombstone: Tombstone) {
        for key in keys {
            // Long cascades push tombstones out before the journal has heard of them.
            forgotten.insert(key)
            delete(key, tombstone)
            noteWrite(of: key, tombstone.sequence)
        }
    }

    // MARK: Loading

    /// What somebody is about to write, as far as it leads from one entity to others.
    struct CascadeSources {
        /// Of entities that are to be deleted.
        var roots: [StoredKey] = []
        /// What resources that are written before refer to, by who has them.
        var references: [StoredKey: [StoredKey]] = [:]
    }

    /// Entities that go with others, as far as that is known, and that only the journal may have.
    ///
    /// Asked again when they are there, it names what lies behind them. Everything that is stored, visible or about to be
    /// written is followed: what is too much is only read.
    func keysToLoad(forCascadeFrom sources: CascadeSources) -> Set<StoredKey> {
        guard absentCount > 0, !cascades.isEmpty else { return [] }
        var seen = Set(sources.roots)
        var queue = sources.roots
        var missing: Set<StoredKey> = []
        var next = 0
        while next < queue.count, queue.count - sources.roots.count < configuration.limits.cascadeCountMax {
            let key = queue[next]
            next += 1
            if !isKnown(key) { missing.insert(key) }
            guard cascades.concern(typeNames.names[Int(key.type)]) else { continue }
            var others = sources.references[key] ?? []
            for resource in [storedResource(key), isLayered(key) ? visibleResource(key) : nil] {
                if let resource { others += references(of: key, in: resource) }
            }
            for other in others where seen.insert(other).inserted { queue.append(other) }
        }
        return missing
    }

    /// Adds what a resource that is written refers to.
    ///
    /// - Parameter ids: Under which it may be stored.
    func note(
        _ resource: UnsafeRawBufferPointer, of wireType: ByteString, _ ids: [StoredID], in library: LibraryIndex,
        into sources: inout CascadeSources
    ) {
        let type = configuration.typeAliases[wireType] ?? wireType
        guard cascades.concern(type) else { return }
        var found: [StoredKey] = []
        cascades.forEachReference(of: type, in: resource) { type, id in
            guard let index = typeNames.existingIndex(of: type) else { return }
            found.append(StoredKey(library: library, type: index, id: id))
        }
        guard let index = typeNames.existingIndex(of: type) else {
            // A type that is new with this very batch has no number to stand under.
            sources.roots += found
            return
        }
        for id in ids {
            sources.references[StoredKey(library: library, type: index, id: id), default: []] += found
        }
    }
}
