import TidemarkModel

/// Placeholders: entities of which only the row is known, because an event replaces or deletes them in the same step.
/// Their payload is empty, which no stored payload is.
extension CacheState {
    /// Returns the entities that a batch touches, or that held events may touch after it, and that only the journal may
    /// have.
    ///
    /// - Complexity: O(members + held events).
    package func needs(of batch: EventBatch) -> EntityNeeds {
        guard residency.hasAbsent else { return EntityNeeds() }
        var needs = EntityNeeds()
        needs.loaded = keysOfCascadesAndHeld(with: batch)
        forEachView(of: batch) { view in
            if isReplacing(view) {
                collectReplaced(of: view, into: &needs)
            } else {
                collectKeys(of: view, into: &needs.loaded)
            }
        }
        needs.replaced.subtract(needs.loaded)
        return needs
    }

    /// Returns true if an event is newer than everything stored of its library and needs none of it.
    private func isReplacing(_ view: EventView) -> Bool {
        let event = view.event
        switch event.kind {
        case .changed, .batchChanged: if view.text(event.detail) != nil { return false }
        case .deleted: if !cascades.isEmpty { return false }
        default: return false
        }
        guard let sequence = event.sequence, let library = existingLibrary(of: view) else { return false }
        return knownThrough(library).map { sequence > $0 } ?? false
    }

    private func collectReplaced(of view: EventView, into needs: inout EntityNeeds) {
        var keys: Set<StoredKey> = []
        collectKeys(of: view, into: &keys)
        for key in keys {
            // Lists, observers and layers compare the new value with the old one.
            if queries.keys.handle(of: key) == nil { needs.replaced.insert(key) } else { needs.loaded.insert(key) }
        }
    }

    /// Adds placeholders for entities of which only the rows are known, for events that are applied next.
    ///
    /// - Parameter rows: Rows that were found since the last commit, with keys from the current
    ///   ``EntityNeeds/replaced``.
    /// - Returns: The slots to pass to ``removePlaceholders(_:)`` after the events.
    package mutating func addPlaceholders(_ rows: some Sequence<StoredRow>) -> [SlotIndex] {
        var added: [SlotIndex] = []
        let stamp = EntityStamp(sequence: nil, packedGeneration: 0, writtenAt: 0)
        for row in rows where !isGone(row.key) && residency.hasAbsent {
            row.key.withIdentity(seed: entities.seed) { identity in
                guard entities.find(identity) == nil else { return }
                let nothing = UnsafeRawBufferPointer(start: nil, count: 0)
                added.append(entities.install(identity, payload: nothing, stamp: stamp, row: row.row))
                residency.noteLoaded()
            }
        }
        return added
    }

    /// Removes the placeholders that no event replaced or deleted. The journal still has these entities.
    package mutating func removePlaceholders(_ slots: [SlotIndex]) {
        for index in slots where entities.isPlaceholder(index) {
            entities.forget(index)
            residency.noteEvictedFromMemory()
        }
    }
}

extension EntityStore {
    /// Returns true if a slot has a placeholder. By now the slot may have another entity.
    func isPlaceholder(_ index: SlotIndex) -> Bool {
        let slot = slot(index).pointee
        return slot.flags.contains(.isLive) && slot.payloadCount == 0
    }
}
