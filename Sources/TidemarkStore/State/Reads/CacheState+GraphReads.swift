import TidemarkModel

/// The result of looking up an entity for a document.
package enum GraphLook: Sendable {
    /// The entity is in memory, or a layer shows it.
    case found(GraphEntity)
    /// The entity was deleted, by the server or by a layer.
    case deleted
    /// The cache has no entity and no tombstone under the key.
    case absent
    /// The entity was evicted from both tiers.
    case evicted
    /// The entity is not in memory; the journal may have it.
    case elsewhere(StoredKey)
}

/// One entity with the times at which its fields were written.
package struct GraphEntity: Sendable {
    /// The resource as readers see it.
    package var resource: [UInt8]
    /// When all fields without a time of their own were written, in milliseconds since 1970.
    package var writtenAt: Int64
    /// The sequence of that write; nil if it had none.
    package var sequence: EventSequence?
    /// When, and at which sequence, single fields were written, by path.
    package var named: [ByteString: (writtenAt: Int64, sequence: EventSequence?)]
    /// True if layers change the entity.
    package var isPending: Bool
    /// True if a field that it lacks does not exist. False if fields were evicted.
    package var isWhole: Bool

    /// Records the time of a layer's write.
    fileprivate mutating func date(_ write: LayerStack.Write) {
        guard let fields = write.fields else {
            writtenAt = write.writtenAt
            sequence = nil
            named = [:]
            return
        }
        fields.date(&named, rest: (writtenAt, sequence), as: (write.writtenAt, nil))
    }
}

extension CacheState {
    /// Looks up an entity as readers see it, without counting it as a read.
    ///
    /// - Parameter asked: Keys that the journal was already asked for.
    package func graphLook(_ key: EntityKey, asked: Set<StoredKey>) -> GraphLook {
        guard let stored = storedKey(of: key) else { return .absent }
        let index = withIdentity(stored) { entities.find($0) }
        if isLayered(stored), let handle = queries.keys.handle(of: stored) {
            guard let overlay = layers.overlays[handle] else { return .absent }
            guard let visible = overlay.visible else {
                return overlay.isDeleted || tombstones[stored] != nil ? .deleted : .absent
            }
            var entity = graphEntity(visible, at: index)
            for write in layers.writes(over: handle) { entity.date(write) }
            entity.isPending = true
            entity.isWhole = completeness(of: handle) == .whole
            return .found(entity)
        }
        if let index {
            return .found(graphEntity(Array(entities.payload(of: index)), at: index))
        }
        if tombstones[stored] != nil { return .deleted }
        if absentCount > 0, !isKnown(stored), !asked.contains(stored) { return .elsewhere(stored) }
        return wasEvicted(key) ? .evicted : .absent
    }

    private func graphEntity(_ resource: [UInt8], at index: SlotIndex?) -> GraphEntity {
        var entity = GraphEntity(
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
