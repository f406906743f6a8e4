import TidemarkModel

extension CacheState {
    /// The result of looking up a key in memory.
    package enum Lookup {
        /// The entity is in memory, or a layer shows it.
        case found(Found)
        /// The entity was deleted. `sequence` is that of the stored entity, if only a layer deletes it.
        case deleted(sequence: EventSequence?, isPending: Bool)
        /// The cache has no entity and no tombstone under the key.
        case absent(isPending: Bool)
        /// The entity is not in memory; the journal may have it.
        case elsewhere(StoredKey)
    }

    /// An entity as readers see it.
    package struct Found {
        /// The resource.
        package let payload: [UInt8]
        /// When, and by what, the stored entity was last written; nil if only a layer has it.
        package let stamp: EntityStamp?
        /// When the oldest field was written, in milliseconds since 1970; nil with layers.
        package let oldestWrite: Int64?
        /// True if layers change the entity.
        package let isPending: Bool
        /// True if the entity is complete: a field that it lacks does not exist. False if fields were evicted.
        package let isWhole: Bool
    }

    /// Looks up an entity as readers see it, and counts the read in the LRU order.
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
        return residency.hasAbsent && !residency.isForgotten(stored) && !isUnstored(stored.type)
            ? .elsewhere(stored) : .absent(isPending: false)
    }

    private mutating func lookUp(layered handle: ListHandle, _ key: StoredKey) -> Lookup {
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
}

extension CacheState {
    /// Calls `body` for every entity in memory, without layers, in no order.
    ///
    /// - Parameter body: Receives the key, the resource's bytes and the stamp. The bytes are valid only inside it.
    package func forEachEntity(_ body: (EntityKey, UnsafeRawBufferPointer, EntityStamp) -> Void) {
        entities.forEach { key, payload, stamp in
            body(
                EntityKey(
                    library: libraries.name(of: key.library), type: types.name(of: key.type),
                    id: key.id.text),
                payload, stamp)
        }
    }
}
