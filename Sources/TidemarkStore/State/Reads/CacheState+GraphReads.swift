import TidemarkModel

/// An entity as a reader of a document sees it.
package enum GraphLook: Sendable {
    case found(GraphEntity)
    case deleted
    case absent
    case evicted
    /// The entity is not in memory; the journal may have it.
    case elsewhere(StoredKey)
}

/// One entity with the dates of its fields.
package struct GraphEntity: Sendable {
    package var resource: [UInt8]
    /// The time when all fields without a date of their own were written, in milliseconds since 1970.
    package var writtenAt: Int64
    package var sequence: EventSequence?
    /// The writes of single fields, by path.
    package var named: [ByteString: (writtenAt: Int64, sequence: EventSequence?)]
    package var isPending: Bool
    /// Whether a field that it lacks does not exist, rather than being evicted.
    package var isWhole: Bool

    /// Dates what a layer wrote.
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
    /// Looks up an entity without counting it as an access.
    ///
    /// - Parameter asked: Keys that the journal was asked for already.
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

    /// Tells whether some layer changes one of these entities.
    ///
    /// - Complexity: O(the layered entities, or these if they are fewer).
    package func isLayered(anyOf handles: Dictionary<ListHandle, some Any>.Keys) -> Bool {
        guard !layers.isEmpty else { return false }
        if layers.overlays.count < handles.count { return layers.overlays.keys.contains { handles.contains($0) } }
        return handles.contains { layers.overlays[$0] != nil }
    }

    /// Counts a read of entities for the order of evictions.
    package mutating func touch(_ keys: [EntityKey]) {
        for key in keys {
            guard let stored = storedKey(of: key), let index = withIdentity(stored, { entities.find($0) }) else {
                continue
            }
            entities.touch(index)
        }
    }
}
