import TidemarkModel

/// Keys of entities that left both tiers, by their hashes: what is known of them is that they were here.
///
/// Bounded by `evictedKeyCountMax`: the oldest are forgotten, and count as never seen. Two keys with one hash of 64 bits would both
/// count as evicted, which is a miss all the same.
struct EvictedKeys {
    private let countMax: Int
    private var hashes: [LibraryIndex: Set<UInt64>] = [:]
    /// In the order they went, as a ring once it is full; may name some that came back.
    private var order: [(library: LibraryIndex, hash: UInt64)] = []
    private var oldest = 0

    init(countMax: Int) { self.countMax = countMax }

    var isEmpty: Bool { hashes.isEmpty }

    func contains(_ identity: EntityIdentity) -> Bool {
        hashes[identity.library]?.contains(identity.hash) ?? false
    }

    mutating func insert(_ identity: EntityIdentity) {
        guard countMax > 0 else { return }
        let entry = (library: identity.library, hash: identity.hash)
        if order.count < countMax {
            order.append(entry)
        } else {
            remove(order[oldest].hash, of: order[oldest].library)
            order[oldest] = entry
            oldest = (oldest + 1) % countMax
        }
        hashes[identity.library, default: []].insert(identity.hash)
    }

    /// The entity came back, or was deleted.
    mutating func remove(_ identity: EntityIdentity) { remove(identity.hash, of: identity.library) }

    /// Everything of the library was removed.
    mutating func removeAll(of library: LibraryIndex) { hashes[library] = nil }

    private mutating func remove(_ hash: UInt64, of library: LibraryIndex) {
        guard hashes[library]?.remove(hash) != nil, hashes[library]?.isEmpty == true else { return }
        hashes[library] = nil
    }
}
