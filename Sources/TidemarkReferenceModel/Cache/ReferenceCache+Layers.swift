// Layers: an array, with the rules of Protocol/optimistic.md applied from its beginning.

extension ReferenceCache {
    /// Adds a layer on top of all others.
    ///
    /// - Throws: ``ReferenceRequestError`` for a known pending id, an unknown one in `dependsOn`, or too many layers.
    package mutating func update(_ layer: ReferenceLayer) throws(ReferenceRequestError) {
        guard !layers.contains(where: { $0.pendingID == layer.pendingID }) else { throw .duplicatePending }
        guard layer.dependsOn.allSatisfy({ id in layers.contains { $0.pendingID == id } }) else {
            throw .unknownPending
        }
        guard layers.count < layerCountMax else { throw .limitExceeded }
        open(layer.library)
        var layer = renamed(layer)
        layer.dependsOn.removeAll { id in layers.contains { $0.pendingID == id && $0.isConfirmed } }
        layers.append(layer)
        for case .put(let key, _) in layer.changes { endRenamings(of: key) }
    }

    /// Applies the server's confirmation of a mutation.
    ///
    /// - Throws: ``ReferenceRequestError`` for an unknown pending id, or if the type of a resource is ambiguous.
    package mutating func commit(_ commit: ReferenceCommit) throws(ReferenceRequestError) {
        if !commit.realIDs.isEmpty, !layers.contains(where: { $0.pendingID == commit.pendingID }) {
            let library = commit.library ?? []
            guard libraries[library] != nil else { throw .unknownPending }
            return rename(commit.realIDs, in: library)
        }
        let place = try place(of: commit.pendingID, library: commit.library)
        var next = self
        let library = layers[place].library
        next.rename(commit.realIDs, in: library)
        for index in next.layers.indices { next.layers[index].dependsOn.removeAll { $0 == commit.pendingID } }
        if let resources = commit.confirmed {
            let keys = next.layers[place].changes.map(\.key)
            var writes: [(ReferenceKey, ReferenceJSON)] = []
            for resource in resources {
                let types = Set(keys.filter { $0.id == resource.id }.map(\.type))
                let all = Set(keys.map(\.type))
                guard
                    let type = commit.type ?? (types.count == 1 ? types.first : nil)
                        ?? (types.isEmpty && all.count == 1 ? all.first : nil)
                else { throw .invalidParams }
                writes.append((ReferenceKey(library: library, type: type, id: resource.id), resource.json))
            }
            for (key, json) in writes { next.confirm(json, key, sequence: commit.sequence) }
            // An empty array means that the server did what the edit says, and that there is nothing to write.
            if resources.isEmpty {
                for key in Self.deleted(by: next.layers[place].changes) {
                    next.confirmDelete(key, sequence: commit.sequence)
                }
            }
            next.layers.remove(at: place)
        } else {
            next.layers[place].isConfirmed = true
            next.layers[place].awaited = commit.sequence
            next.layers[place].awaitedGeneration = libraries[library]?.generation ?? 0
            next.settleReached(library)
        }
        self = next
    }

    /// Rolls back a layer, and every layer that depends on it.
    ///
    /// - Throws: ``ReferenceRequestError`` for an unknown pending id.
    package mutating func rollBack(_ pendingID: [UInt8], library: [UInt8]?) throws(ReferenceRequestError) {
        _ = try place(of: pendingID, library: library)
        var gone: [[UInt8]] = [pendingID]
        while true {
            let more = layers.filter { layer in
                !gone.contains(layer.pendingID) && layer.dependsOn.contains { gone.contains($0) }
            }
            if more.isEmpty { break }
            gone += more.map(\.pendingID)
        }
        layers.removeAll { gone.contains($0.pendingID) }
    }

    private func place(of pendingID: [UInt8], library: [UInt8]?) throws(ReferenceRequestError) -> Int {
        let place = layers.firstIndex { layer in
            layer.pendingID == pendingID && library.map { $0 == layer.library } ?? true
        }
        guard let place else { throw .unknownPending }
        return place
    }

    /// Writes the state of an entity as the server confirmed it.
    private mutating func confirm(_ json: ReferenceJSON, _ key: ReferenceKey, sequence: Int64?) {
        let generation = libraries[key.library]?.generation ?? 0
        let base = entities[key]
        if let sequence {
            if let base, base.generation == generation, let known = base.sequence, known > sequence { return }
            if base == nil, let tombstone = tombstones[key], tombstone.generation == generation,
                let known = tombstone.sequence, known > sequence
            {
                return
            }
        }
        var own = sequence
        // A confirmation without a position keeps the position that the entity has.
        if own == nil, let base, base.generation == generation { own = base.sequence }
        write(
            base.map { Self.assigned(json, into: $0.json, unset: []) } ?? json, key, fields: json, sequence: own,
            isAnswer: true)
        note(key, sequence: sequence)
    }

    /// Returns the keys whose last change is a delete, in the order in which they are first named.
    private static func deleted(by changes: [ReferenceLayerChange]) -> [ReferenceKey] {
        var keys: [ReferenceKey] = []
        for change in changes where !keys.contains(change.key) { keys.append(change.key) }
        return keys.filter { key in
            if case .delete? = changes.last(where: { $0.key == key }) { true } else { false }
        }
    }

    /// Deletes an entity that the server has deleted, unless something newer is known.
    private mutating func confirmDelete(_ key: ReferenceKey, sequence: Int64?) {
        let generation = libraries[key.library]?.generation ?? 0
        var known: Int64?
        if let base = entities[key] {
            if base.generation == generation { known = base.sequence }
        } else if let tombstone = tombstones[key], tombstone.generation == generation {
            known = tombstone.sequence
        }
        if let sequence, let known, known > sequence { return }
        erase(key, sequence: sequence ?? known)
        note(key, sequence: sequence)
    }

    // MARK: Settling

    private mutating func settle(_ isSettled: (ReferenceLayer) -> Bool) {
        let gone = layers.filter(isSettled).map(\.pendingID)
        layers.removeAll { gone.contains($0.pendingID) }
        for index in layers.indices { layers[index].dependsOn.removeAll { gone.contains($0) } }
    }

    /// Settles the layer of a mutation whose event was applied.
    ///
    /// - Parameter implied: The renaming that the event implies; see ``impliedRenaming(_:in:type:_:)``.
    package mutating func settle(
        _ mutationID: [UInt8], in library: [UInt8], implied: (from: ReferenceKey, to: ReferenceKey)? = nil
    ) {
        if let implied { rename([implied]) }
        settle { $0.pendingID == mutationID && $0.library == library }
    }

    /// Settles the confirmed layers whose awaited sequence the library's cursor has reached.
    mutating func settleReached(_ library: [UInt8]) {
        guard let place = libraries[library], let cursor = place.cursor else { return }
        settle { layer in
            layer.library == library && layer.isConfirmed && layer.awaitedGeneration == place.generation
                && layer.awaited.map { $0 <= cursor } ?? false
        }
    }

    /// Settles the layers that wait for a position in a log that ended, and that change an entity that an event or a
    /// result has now written.
    mutating func settleOfOldLog(_ key: ReferenceKey) {
        let generation = libraries[key.library]?.generation ?? 0
        settle { layer in
            layer.library == key.library && layer.isConfirmed && layer.awaited != nil
                && layer.awaitedGeneration != generation && layer.changes.contains { $0.key == key }
        }
    }
}
