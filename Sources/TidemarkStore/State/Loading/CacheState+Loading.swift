import TidemarkModel

/// Which entities must be loaded from the journal before events are applied, and what the journal loaded.
extension CacheState {
    /// Returns the keys that a batch touches, or that held events may touch after it, and that only the journal may
    /// have.
    ///
    /// - Returns: The keys, each once; empty if memory has every entity.
    /// - Complexity: O(members + held events).
    package func keysToLoad(for batch: EventBatch) -> [StoredKey] { keysToLoad(for: [batch]) }

    /// Returns the keys that held events touch and that only the journal may have.
    package func keysToLoadForHeld() -> [StoredKey] { keysToLoad(for: []) }

    func collectHeldKeys(with batches: [EventBatch], into keys: inout Set<StoredKey>) {
        for library in libraries.watched {
            let isApplied = mayApplyUnit(of: library, with: batches)
            for held in isApplied ? libraries[library].gate.waiting : Array(libraries[library].gate.held.all) {
                held.withView { collectKeys(of: $0, into: &keys) }
            }
        }
    }

    /// Returns true if the open unit of a library may be applied together with some batches. Otherwise a long unit
    /// would be looked through again with each of its lines.
    private func mayApplyUnit(of library: LibraryIndex, with batches: [EventBatch]) -> Bool {
        let gate = libraries[library].gate
        if gate.unit.isEmpty { return false }
        if gate.missing != nil || gate.unit.byteCount > OpenUnit.byteCountMax / 2 { return true }
        return batches.contains { batch in batch.events.contains { !$0.hasMore } }
    }

    func collectKeys(of view: EventView, into keys: inout Set<StoredKey>) {
        let event = view.event
        guard event.memberCount > 0, !event.type.isAbsent else { return }
        let wireType = ByteString(view.bytes[event.type])
        guard let library = libraries.index(of: view.string(event.library) ?? configuration.defaultLibrary),
            let type = types.index(of: wireType)
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

    /// Adds a key to load, unless it was deleted: until a delete is flushed, the journal still has the entity.
    private func collect(_ key: StoredKey, into keys: inout Set<StoredKey>) {
        if !isGone(key), !isUnstored(key.type), !isLayered(key) { keys.insert(key) }
    }

    /// Returns true if an entity was deleted or forgotten, although the journal may still have it.
    func isGone(_ key: StoredKey) -> Bool { tombstones[key] != nil || residency.isForgotten(key) }

    /// Adds entities that the journal loaded.
    ///
    /// An entity already in memory is newer and stays. One that was forgotten or deleted in the meantime is skipped. A
    /// damaged row counts as absent from now on, and the next flush removes it.
    package mutating func install(_ loaded: LoadedEntities) {
        for entity in loaded.entities where !isGone(entity.key) {
            entity.key.withIdentity(seed: entities.seed) { identity in
                guard entities.find(identity) == nil, residency.hasAbsent else { return }
                let stamp = EntityStamp(
                    sequence: entity.sequence, packedGeneration: entity.generation,
                    writtenAt: configuration.doubts.dated(entity.writtenAt))
                let index = entity.payload.withUnsafeBytes {
                    entities.install(
                        identity, payload: $0, stamp: stamp, fields: entity.fields, row: entity.row,
                        configuration.doubts)
                }
                if queries.keys.handle(of: entity.key) != nil { entities.setTracked(index, true) }
                residency.noteLoaded()
            }
        }
        for damaged in loaded.damaged where !isGone(damaged.key) {
            let isKnown = withIdentity(damaged.key) { entities.find($0) != nil }
            guard !isKnown, residency.hasAbsent else { continue }
            noteLost(damaged.key)
            entities.removeRow(damaged)
            residency.noteLoaded()
            libraries[damaged.key.library].entityCount -= 1
            libraries[damaged.key.library].isChanged = true
            noteForgotten(in: damaged.key.library)
            isUnwritten = true
        }
    }
}
