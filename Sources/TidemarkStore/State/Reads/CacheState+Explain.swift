import TidemarkModel

/// Where an entity's value comes from, and which queries and observers show it.
package struct EntityOrigin: Sendable {
    /// The stored fields in the resource's order, with their stamps; nil if no entity is stored.
    package var fields: [(name: ByteString, stamp: EntityStamp)]?
    /// The fields inside embedded objects that have a stamp of their own, by path: names joined by a zero byte.
    package var nested: [(path: ByteString, stamp: EntityStamp)] = []
    /// True if some fields were evicted, so that only these are left.
    package var isReduced = false
    /// True if the entity was evicted from both tiers.
    package var isEvicted = false
    /// The tombstone of a deleted entity; nil if there is none.
    package var tombstone: Tombstone?
    /// The pending ids of the layers over it, oldest first.
    package var layers: [ByteString] = []
    /// True if layers show the entity, false if they hide it; nil without layers.
    package var isVisible: Bool?
    /// The entity's places in lists, by method and input of the queries.
    package var places: [(query: QueryKey, index: Int, isStale: Bool)]
    /// How many observers the entity itself has.
    package var observerCount: Int
}

extension CacheState {
    /// Returns where an entity's value comes from.
    ///
    /// - Precondition: The entity is in memory, or in neither tier.
    package mutating func origin(of key: EntityKey, at now: Int64) -> EntityOrigin {
        buildLists()
        guard let stored = storedKey(of: key) else {
            return EntityOrigin(fields: nil, tombstone: nil, places: [], observerCount: 0)
        }
        let index = withIdentity(stored) { entities.find($0) }
        var places: [(query: QueryKey, index: Int, isStale: Bool)] = []
        let handle = queries.keys.handle(of: stored)
        if let handle {
            for place in 0..<queries.keys.holderCount(of: handle) {
                let holder = queries.keys.holder(of: handle, at: place)
                let entry = queries[holder.query]
                if entry.list.marks(of: holder.node).contains(.isCovered) { continue }
                places.append(
                    (entry.key, entry.list.index(of: holder.node, among: .shown), entry.isStale(at: now)))
            }
        }
        places.sort { ($0.query.method, $0.query.input) < ($1.query.method, $1.query.input) }
        let isLayered = isLayered(stored)
        return EntityOrigin(
            fields: index.map { entities.fields(of: $0) }, nested: index.map { entities.nestedFields(of: $0) } ?? [],
            isReduced: index.map { index in
                (handle.map { completeness(of: $0, at: index) } ?? entities.completeness(of: index)) != .whole
            } ?? false,
            isEvicted: index == nil && withIdentity(stored) { residency.wasEvicted($0) }, tombstone: tombstones[stored],
            layers: isLayered ? handle.map { layers.layers(over: $0).map(\.pendingID) } ?? [] : [],
            isVisible: isLayered ? handle.map { layers.overlays[$0]?.visible != nil } : nil, places: places,
            observerCount: handle.map { queries.keys.observerCount(of: $0) } ?? 0)
    }
}
