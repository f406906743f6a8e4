import TidemarkModel

extension CacheState {
    /// The result of looking a key up in memory.
    package enum Lookup {
        case found(Found)
        /// `sequence`: the sequence of the stored entity, when only a layer deletes it.
        case deleted(sequence: EventSequence?, isPending: Bool)
        /// Never seen: no entity of that library or type is stored.
        case absent(isPending: Bool)
        /// The entity is not in memory; the journal may have it.
        case elsewhere(StoredKey)
    }

    /// An entity as readers see it.
    package struct Found {
        package let payload: [UInt8]
        /// The stamp of the stored entity; nil when only a layer has it.
        package let stamp: EntityStamp?
        /// The time of the oldest field write, in milliseconds since 1970; nil with layers.
        package let oldestWrite: Int64?
        package let isPending: Bool
        /// Whether a field it lacks does not exist, rather than being evicted.
        package let isWhole: Bool
    }

    /// Looks up an entity as readers see it, and counts that as an access.
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
    /// Calls `body` with every entity in memory, in no order.
    ///
    /// - Parameter body: Gets the key, the resource's bytes, valid inside it only, and the stamp.
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
