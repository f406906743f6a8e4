/// Whether another scan of the entities in memory may find some to evict.
struct ResidentScan {
    /// The number of entities in memory after the last complete scan, none of which could be evicted.
    private var keptCount = 0

    /// Returns true if a scan may find an entity to evict. After a scan that found none, another one is worth its cost
    /// only after a commit, or once there are an eighth more entities.
    func isWorthwhile(residentCount: Int) -> Bool { residentCount > keptCount + keptCount / 8 }

    /// Records that no entity in memory could be evicted.
    mutating func ended(residentCount: Int) { keptCount = residentCount }

    /// Records that a commit may have made entities evictable.
    mutating func committed() { keptCount = 0 }
}
