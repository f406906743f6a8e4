/// The scans of entities in memory for some that may be evicted from it.
struct ResidentScan {
    /// The number of entities in memory after the last complete scan, all of which had to stay.
    private var keptCount = 0

    /// Tells whether a scan may find an entity to evict: after one that was in vain another is not worth its cost until
    /// the next commit, or until there are an eighth more entities.
    func isWorthwhile(residentCount: Int) -> Bool { residentCount > keptCount + keptCount / 8 }

    /// Notes that all entities in memory had to stay.
    mutating func ended(residentCount: Int) { keptCount = residentCount }

    /// Notes that a commit may have made entities evictable.
    mutating func committed() { keptCount = 0 }
}
