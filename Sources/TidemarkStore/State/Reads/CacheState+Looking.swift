import TidemarkModel

extension CacheState {
    /// Looks up an entity as readers see it, without counting it as a read.
    ///
    /// - Parameter asked: Keys that the journal was already asked for.
    package func look(_ key: EntityKey, asked: Set<StoredKey>) -> EntityLook {
        guard let stored = storedKey(of: key) else { return .absent }
        let index = withIdentity(stored) { entities.find($0) }
        if isLayered(stored), let handle = queries.keys.handle(of: stored) {
            guard let overlay = layers.overlays[handle] else { return .absent }
            guard let visible = overlay.visible else {
                return overlay.isDeleted || tombstones[stored] != nil ? .deleted : .absent
            }
            var entity = datedEntity(visible, at: index)
            for write in layers.writes(over: handle) { entity.date(write) }
            entity.isPending = true
            entity.isWhole = completeness(of: handle) == .whole
            return .found(entity)
        }
        if let index {
            return .found(datedEntity(Array(entities.payload(of: index)), at: index))
        }
        if tombstones[stored] != nil { return .deleted }
        if absentCount > 0, !isKnown(stored), !asked.contains(stored) { return .elsewhere(stored) }
        return wasEvicted(key) ? .evicted : .absent
    }

    private func datedEntity(_ resource: [UInt8], at index: SlotIndex?) -> DatedEntity {
        var entity = DatedEntity(
            resource: resource, writtenAt: 0, sequence: nil, named: [:], isPending: false, isWhole: true)
        guard let index else { return entity }
        let stamp = entities.stamp(of: index)
        entity.writtenAt = stamp.writtenAt
        entity.sequence = stamp.sequence
        entity.isWhole = entities.completeness(of: index).isEvaluable
        if let stamps = entities.fieldStamps[index] {
            entity.writtenAt = stamps.rest.writtenAt
            entity.sequence = stamps.rest.sequence
            entity.named = stamps.named.mapValues { ($0.writtenAt, $0.sequence) }
        }
        return entity
    }

    /// Returns true if some layer changes one of these entities.
    ///
    /// - Complexity: O(layered entities), or O(handles) if these are fewer.
    package func isLayered(anyOf handles: Dictionary<ListHandle, some Any>.Keys) -> Bool {
        guard !layers.isEmpty else { return false }
        if layers.overlays.count < handles.count { return layers.overlays.keys.contains { handles.contains($0) } }
        return handles.contains { layers.overlays[$0] != nil }
    }

    /// Counts a read of entities in the LRU order.
    package mutating func touch(_ keys: [EntityKey]) {
        for key in keys {
            guard let stored = storedKey(of: key), let index = withIdentity(stored, { entities.find($0) }) else {
                continue
            }
            entities.touch(index)
        }
    }
}
