import TidemarkModel

/// An entity without layers, and the layers over it.
package struct EntityBase: Sendable {
    /// One layer with its changes for the entity.
    package struct Layer: Sendable {
        package var pendingID: ByteString
        package var isConfirmed: Bool
        /// Whether it patches an entity that was deleted.
        package var isOrphaned: Bool
        /// The time when the layer was made, in milliseconds since 1970.
        package var createdAt: Int64
        /// The changes for this entity, in order.
        package var changes: [LayerChange]
    }

    /// The stored resource; nil when there is none. Reduced entities have the fields that are left.
    package var payload: [UInt8]?
    package var sequence: EventSequence?
    /// Whether some of its fields were evicted.
    package var isReduced = false
    package var isDeleted = false
    package var wasEvicted = false
    /// The layers that have a change for it, oldest first.
    package var layers: [Layer] = []
}

extension CacheState {
    /// Returns an entity without layers. Not a use for the order of evictions.
    ///
    /// - Precondition: The entity is in memory unless it is in no tier.
    package func entityBase(of key: EntityKey) -> EntityBase {
        var base = EntityBase()
        guard let stored = storedKey(of: key) else { return base }
        if let index = withIdentity(stored, { entities.find($0) }) {
            base.payload = Array(entities.payload(of: index))
            base.sequence = entities.stamp(of: index).sequence
            base.isReduced = entities.completeness(of: index) != .whole
        } else {
            base.isDeleted = tombstones[stored] != nil
            base.wasEvicted = withIdentity(stored) { residency.wasEvicted($0) }
        }
        guard isLayered(stored), let handle = queries.keys.handle(of: stored) else { return base }
        base.layers = layers.layers(over: handle).map { layer in
            EntityBase.Layer(
                pendingID: layer.pendingID, isConfirmed: layer.isConfirmed, isOrphaned: isOrphaned(layer),
                createdAt: layer.createdAt, changes: layer.changes.filter { $0.key == stored })
        }
        return base
    }
}

extension CacheState {
    /// Returns an entity as readers see it, if memory has all of it. Not a use for the order of evictions.
    package func visiblePayload(ofStored key: StoredKey) -> [UInt8]? {
        if isLayered(key), let handle = queries.keys.handle(of: key) {
            return completeness(of: handle) == .whole ? layers.overlays[handle]?.visible : nil
        }
        guard let index = withIdentity(key, { entities.find($0) }), entities.completeness(of: index) == .whole else {
            return nil
        }
        return Array(entities.payload(of: index))
    }
}
