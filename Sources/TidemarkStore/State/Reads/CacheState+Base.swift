import TidemarkModel

/// An entity without layers, and the layers over it.
package struct EntityBase: Sendable {
    /// One layer, with its changes of the entity.
    package struct Layer: Sendable {
        /// The layer's pending id.
        package var pendingID: ByteString
        /// True if the layer is committed and waits for its sequence or its event.
        package var isConfirmed: Bool
        /// True if a patch of the layer shows nothing, because its entity was deleted.
        package var isOrphaned: Bool
        /// When the layer was made, in milliseconds since 1970.
        package var createdAt: Int64
        /// The changes of this entity, in order.
        package var changes: [LayerChange]
    }

    /// The stored resource, with the fields that are left if it is reduced; nil if none is stored.
    package var payload: [UInt8]?
    /// The sequence of the event that last wrote the stored entity; nil if that write had none.
    package var sequence: EventSequence?
    /// True if some of its fields were evicted.
    package var isReduced = false
    /// True if no entity is stored and the key has a tombstone.
    package var isDeleted = false
    /// True if the entity was evicted from both tiers.
    package var wasEvicted = false
    /// The layers that change the entity, oldest first.
    package var layers: [Layer] = []
}

extension CacheState {
    /// Returns an entity without layers. Not counted as a read in the LRU order.
    ///
    /// - Precondition: The entity is in memory, or in neither tier.
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
    /// Returns an entity as readers see it, if memory has all of its fields; otherwise nil. Not counted as a read.
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
