import TidemarkModel

extension CacheState {
    /// The result of looking a key up in memory.
    package enum Lookup {
        case found(Found)
        /// `sequence`: the sequence of the stored entity, when only a layer deletes it.
        case deleted(sequence: EventSequence?, isPending: Bool)
        /// Never seen: no entity of that library or type is stored.
        case absent(isPending: Bool)
        /// Not in memory; the journal may have it.
        case elsewhere(StoredKey)
    }

    /// An entity as readers see it.
    package struct Found {
        package let payload: [UInt8]
        /// The stamp of the stored entity; nil when only a layer has it.
        package let stamp: EntityStamp?
        /// The time of the oldest field write, in milliseconds since 1970; nil with layers.
        package let oldestWrite: Int64?
        package let isPending: Bool
        /// Whether a field it lacks does not exist, rather than being evicted.
        package let isWhole: Bool
    }

    /// Looks up an entity as readers see it, and counts that as an access.
    package mutating func lookUp(_ key: EntityKey) -> Lookup {
        guard let stored = storedKey(of: key) else { return .absent(isPending: false) }
        if isLayered(stored), let handle = queries.keys.handle(of: stored) { return lookUp(layered: handle, stored) }
        if let index = withIdentity(stored, { entities.find($0) }) {
            entities.touch(index)
            return .found(
                Found(
                    payload: Array(entities.payload(of: index)), stamp: entities.stamp(of: index),
                    oldestWrite: entities.oldestWrite(of: index), isPending: false,
                    isWhole: entities.completeness(of: index) == .whole))
        }
        if tombstones[stored] != nil { return .deleted(sequence: nil, isPending: false) }
        return absentCount > 0 && !forgotten.contains(stored) && !isUnstored(stored.type)
            ? .elsewhere(stored) : .absent(isPending: false)
    }

    private mutating func lookUp(layered handle: UInt32, _ key: StoredKey) -> Lookup {
        let index = withIdentity(key) { entities.find($0) }
        if let index { entities.touch(index) }
        // No input reaches it: the mark and the overlay are set and removed together.
        guard let overlay = layers.overlays[handle] else { preconditionFailure("key \(handle) lost its layers") }
        let stamp = index.map { entities.stamp(of: $0) }
        if let visible = overlay.visible {
            return .found(
                Found(
                    payload: visible, stamp: stamp, oldestWrite: nil, isPending: true,
                    isWhole: completeness(of: handle) == .whole))
        }
        guard overlay.isDeleted || tombstones[key] != nil else { return .absent(isPending: true) }
        return .deleted(sequence: stamp?.sequence, isPending: true)
    }

    /// Returns the keys that a batch touches, or that held events may touch with it, and that only the journal may
    /// have.
    ///
    /// - Returns: Each once; empty when memory holds every entity there is.
    /// - Complexity: O(members + held events).
    package func keysToLoad(for batch: EventBatch) -> [StoredKey] { keysToLoad(for: [batch]) }

    /// Returns the keys that held events touch and that only the journal may have.
    package func keysToLoadForHeld() -> [StoredKey] { keysToLoad(for: []) }

    func collectHeldKeys(into keys: inout Set<StoredKey>) {
        for library in watched {
            for held in libraries[Int(library)].gate.held.all {
                held.withView { collectKeys(of: $0, into: &keys) }
            }
        }
    }

    func collectKeys(of view: EventView, into keys: inout Set<StoredKey>) {
        let event = view.event
        guard event.memberCount > 0, !event.type.isAbsent else { return }
        let wireType = ByteString(view.bytes[event.type])
        guard let library = libraryNames.existingIndex(of: view.string(event.library) ?? configuration.defaultLibrary),
            let type = typeNames.existingIndex(of: configuration.typeAliases[wireType] ?? wireType)
        else { return }
        for member in view.ownMembers where member.reason == nil {
            let identity = identity(of: member, in: view, library: library, type: type)
            if entities.find(identity) == nil { collect(identity.storedKey, into: &keys) }
        }
        guard event.kind != .deleted, let metadata = view.text(event.detail) else { return }
        for id in MergeRules(metadata: metadata).alternateIDs {
            let key = StoredKey(library: library, type: type, id: id)
            if withIdentity(key, { entities.find($0) }) == nil { collect(key, into: &keys) }
        }
    }

    /// Adds a key to load, unless it was deleted: until the delete is written the journal still has the entity.
    private func collect(_ key: StoredKey, into keys: inout Set<StoredKey>) {
        if !isGone(key), !isUnstored(key.type), !isLayered(key) { keys.insert(key) }
    }

    /// Whether an entity was deleted or forgotten, though the journal may still have it.
    private func isGone(_ key: StoredKey) -> Bool { tombstones[key] != nil || forgotten.contains(key) }

    /// Installs entities that the journal loaded.
    ///
    /// An entity already in memory is newer and stays; one forgotten or deleted meanwhile is not installed. A damaged
    /// row counts as absent from now on, and is removed.
    package mutating func install(_ loaded: LoadedEntities) {
        for entity in loaded.entities where !isGone(entity.key) {
            entity.key.withIdentity(seed: entities.seed) { identity in
                guard entities.find(identity) == nil, absentCount > 0 else { return }
                let stamp = EntityStamp(
                    sequence: entity.sequence, packedGeneration: entity.generation, writtenAt: entity.writtenAt)
                let index = entity.payload.withUnsafeBytes {
                    entities.install(identity, payload: $0, stamp: stamp, fields: entity.fields, row: entity.row)
                }
                if queries.keys.handle(of: entity.key) != nil { entities.setTracked(index, true) }
                absentCount -= 1
            }
        }
        for damaged in loaded.damaged where !isGone(damaged.key) {
            let isKnown = withIdentity(damaged.key) { entities.find($0) != nil }
            guard !isKnown, absentCount > 0 else { continue }
            entities.removeRow(damaged)
            absentCount -= 1
            libraries[Int(damaged.key.library)].entityCount -= 1
            libraries[Int(damaged.key.library)].isChanged = true
            noteForgotten(in: damaged.key.library)
            isUnwritten = true
        }
    }
}

extension CacheState {
    /// Calls `body` with every entity in memory, in no order.
    ///
    /// - Parameter body: Gets the key, the resource's bytes, valid inside it only, and the stamp.
    package func forEachEntity(_ body: (EntityKey, UnsafeRawBufferPointer, EntityStamp) -> Void) {
        entities.forEach { key, payload, stamp in
            body(
                EntityKey(
                    library: libraryNames.names[Int(key.library)], type: typeNames.names[Int(key.type)],
                    id: key.id.text),
                payload, stamp)
        }
    }
}
