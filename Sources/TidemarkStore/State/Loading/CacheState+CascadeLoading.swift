import TidemarkModel

/// Finds the keys that events, operations and removals will delete along, before they are applied.
extension CacheState {
    /// Returns the keys that batches touch together, or that held events may touch after them, and that only the
    /// journal may have.
    ///
    /// - Returns: The keys, each once; empty if memory has every entity.
    /// - Complexity: O(members + held events), plus O(resources) of the entities that are deleted along.
    package func keysToLoad(for batches: [EventBatch]) -> [StoredKey] {
        guard residency.hasAbsent else { return [] }
        var keys: Set<StoredKey> = []
        for batch in batches { forEachView(of: batch) { collectKeys(of: $0, into: &keys) } }
        collectHeldKeys(with: batches, into: &keys)
        if !cascades.isEmpty { keys.formUnion(keysToLoad(forCascadeFrom: sources(batches))) }
        return Array(keys)
    }

    /// Returns the keys of held events, and of entities that a batch deletes along, that only the journal may have.
    func keysOfCascadesAndHeld(with batch: EventBatch) -> Set<StoredKey> {
        var keys: Set<StoredKey> = []
        collectHeldKeys(with: [batch], into: &keys)
        if !cascades.isEmpty { keys.formUnion(keysToLoad(forCascadeFrom: sources([batch]))) }
        return keys
    }

    func forEachView(of batch: EventBatch, _ body: (EventView) -> Void) {
        batch.withBytes { bytes in
            batch.members.withUnsafeBufferPointer { members in
                for event in batch.events {
                    body(
                        EventView(
                            event: event, members: members, bytes: bytes, source: .upstream, offset: 0, byteCount: 0))
                }
            }
        }
    }

    /// Calls `body` for every event of the batches, and for the held events.
    private func forEachView(of batches: [EventBatch], _ body: (EventView) -> Void) {
        for batch in batches { forEachView(of: batch, body) }
        for library in libraries.watched {
            for held in libraries[library].gate.waiting { held.withView(body) }
        }
    }

    func existingLibrary(of view: EventView) -> LibraryIndex? {
        libraries.index(of: view.string(view.event.library) ?? configuration.defaultLibrary)
    }

    /// Returns where cascades of events in the batches, and of held events, begin. Empty unless one of them is a
    /// delete.
    private func sources(_ batches: [EventBatch]) -> CascadeSources {
        var sources = CascadeSources()
        var deletes = false
        forEachView(of: batches) { view in
            guard view.event.kind == .deleted, let type = cascadingType(of: view) else { return }
            deletes = true
            guard let library = existingLibrary(of: view), let index = types.index(ofOwnName: type) else { return }
            for member in view.ownMembers where member.reason == nil {
                sources.roots.append(identity(of: member, in: view, library: library, type: index).storedKey)
            }
        }
        guard deletes else { return sources }
        forEachView(of: batches) { view in
            guard view.event.kind != .deleted, cascadingType(of: view) != nil,
                let library = existingLibrary(of: view)
            else { return }
            let others = view.text(view.event.detail).map { MergeRules(metadata: $0).alternateIDs } ?? []
            for member in view.ownMembers where member.reason == nil {
                let own = identity(of: member, in: view, library: library, type: 0).storedKey.id
                note(
                    view.bytes[member.resource], of: ByteString(view.bytes[view.event.type]), [own] + others,
                    in: library, into: &sources)
            }
        }
        return sources
    }

    /// Returns the cache's own name of the event's type if deletes of that type cascade; otherwise nil.
    func cascadingType(of view: EventView) -> ByteString? {
        guard !cascades.isEmpty, view.event.memberCount > 0, !view.event.type.isAbsent else { return nil }
        let wireType = ByteString(view.bytes[view.event.type])
        let type = types.ownName(of: wireType)
        return cascades.concern(type) ? type : nil
    }

    /// Returns the keys that deletes among operations delete along, and that only the journal may have.
    func cascadeKeysToLoad(for steps: [TransactionStep], in name: ByteString) -> Set<StoredKey> {
        guard !cascades.isEmpty, let library = libraries.index(of: name) else { return [] }
        var sources = CascadeSources()
        var deletes = false
        for step in steps {
            switch step {
            case .put(let given):
                guard given.reason == nil else { continue }
                given.withResource { type, id, resource in
                    note(resource, of: ByteString(type), [id], in: library, into: &sources)
                }
            case .patch(let type, let id, let fields, _), .merge(let type, let id, let fields),
                .keyedPut(let type, let id, let fields):
                guard !fields.isEmpty else { continue }
                fields.withUnsafeBytes {
                    note($0, of: type, [StoredID(EntityKey.canonicalID(id))], in: library, into: &sources)
                }
            case .removeField, .remove: continue
            case .delete(let type, let id):
                deletes = true
                if let key = storedKey(of: EntityKey(library: name, type: type, id: id)) { sources.roots.append(key) }
            }
        }
        return deletes ? keysToLoad(forCascadeFrom: sources) : []
    }

    /// Returns the entities that a removal also removes, as far as is known, and that only the journal may have.
    ///
    /// Entities whose type refers to no other are left out.
    package func keysToLoad(forRemovalOf keys: [StoredKey]) -> [StoredKey] {
        guard !cascades.isEmpty else { return [] }
        let roots = keys.filter { cascades.concern(types.name(of: $0.type)) }
        return Array(keysToLoad(forCascadeFrom: CascadeSources(roots: roots)))
    }
}
