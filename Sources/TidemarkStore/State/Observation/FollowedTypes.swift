import TidemarkModel

/// A type of one library.
package struct LibraryType: Hashable, Sendable {
    /// The library's number.
    package let library: LibraryIndex
    /// The type's number.
    package let type: TypeIndex
}

/// The types of which every change is logged, for parts of a cache that read whole types. Those who follow bound them.
struct FollowedTypes {
    /// How many follow each type.
    private var counts: [LibraryType: Int] = [:]
    /// The types whose entities stay in memory meanwhile, whatever their library.
    private(set) var kept: Set<TypeIndex> = []
    /// How many follow each type whose entities are not evicted from both tiers meanwhile.
    private var wholeCounts: [LibraryType: Int] = [:]

    var isEmpty: Bool { counts.isEmpty }

    /// Every followed type, in no order.
    var all: some Collection<LibraryType> { counts.keys }

    func contains(_ library: LibraryIndex, _ type: TypeIndex) -> Bool {
        !counts.isEmpty && counts[LibraryType(library: library, type: type)] != nil
    }

    func contains(_ key: StoredKey) -> Bool { contains(key.library, key.type) }

    mutating func add(_ type: LibraryType, keepsInMemory: Bool) {
        counts[type, default: 0] += 1
        if keepsInMemory { kept.insert(type.type) }
    }

    /// Keeps the entities of a type from being evicted from both tiers, until ``endKeepingWhole(_:)``.
    mutating func keepWhole(_ type: LibraryType) { wholeCounts[type, default: 0] += 1 }

    mutating func endKeepingWhole(_ type: LibraryType) {
        guard let count = wholeCounts[type] else { return }
        wholeCounts[type] = count == 1 ? nil : count - 1
    }

    /// True if entities of a type are not evicted from both tiers.
    func isKeptWhole(_ library: LibraryIndex, _ type: TypeIndex) -> Bool {
        !wholeCounts.isEmpty && wholeCounts[LibraryType(library: library, type: type)] != nil
    }

    mutating func remove(_ type: LibraryType) {
        guard let count = counts[type] else { return }
        counts[type] = count == 1 ? nil : count - 1
        if !kept.isEmpty, !counts.keys.contains(where: { $0.type == type.type }) { kept.remove(type.type) }
    }
}

/// What a cache has of an entity.
package enum EntityPresence: Hashable, Sendable {
    /// The resource as JSON.
    case present([UInt8])
    /// The entity was deleted, and a tombstone or a layer says so.
    case deleted
    /// The cache has neither the entity nor its tombstone.
    case unknown
}

/// An entity as readers see it, and without layers.
package struct FollowedView: Hashable, Sendable {
    /// The entity with layers laid over.
    package var visible: EntityPresence
    /// The entity as the server's data have it.
    package var base: EntityPresence
}

/// How one unit changed one entity of a followed type.
package struct FollowedChange: Sendable {
    /// The entity.
    package var key: EntityKey
    /// The entity before the unit.
    package var old: FollowedView
    /// The entity after the unit.
    package var new: FollowedView
}

/// Tells whether the layers of a state changed.
package struct PendingVersion: Hashable, Sendable {
    let count: Int
    let nextNumber: Int64
    let keyCount: Int
}
