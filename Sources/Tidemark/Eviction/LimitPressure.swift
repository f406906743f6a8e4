import TidemarkModel

/// How far the cache exceeds the limits of both tiers, memory and disk, and whether evictions help.
struct LimitPressure {
    /// True from when the database exceeds its limit until it is as small as an eviction makes it.
    private(set) var isDiskWanted = false
    /// True if the database is larger than its limit, and the last eviction evicted some entities.
    private(set) var isDiskCrowded = false
    /// The number of entities in both tiers when an eviction last found none to evict; 0 when it found some.
    private(set) var blockedCount: Int64 = 0
    /// The number of entities that were evicted from both tiers, or reduced, so far.
    private(set) var evictedCount = 0

    /// Starts a new computation of how much has to be evicted.
    mutating func begin() { isDiskCrowded = false }

    /// Records that nothing has to be evicted.
    mutating func met() { blockedCount = 0 }

    /// Records that the database is larger than its limit.
    mutating func passedDiskLimit() { isDiskWanted = true }

    /// Records that the database is as small as an eviction makes it.
    mutating func reachedDiskGoal() { isDiskWanted = false }

    mutating func evicted(_ count: Int) { evictedCount += count }

    /// Ends one round of an eviction.
    ///
    /// - Parameters:
    ///   - countBefore: ``evictedCount`` before the round.
    ///   - isAboveDiskLimit: Whether the database is larger than its limit.
    ///   - entityCount: The number of entities now.
    /// - Returns: True if something was evicted.
    mutating func ended(countBefore: Int, isAboveDiskLimit: Bool, entityCount: Int64) -> Bool {
        let isFruitful = evictedCount > countBefore
        if isFruitful { blockedCount = min(blockedCount, entityCount) }
        isDiskWanted = isDiskWanted && isFruitful
        isDiskCrowded = isAboveDiskLimit && isFruitful
        return isFruitful
    }

    /// Ends a wait of input for an eviction.
    ///
    /// - Parameter countBefore: ``evictedCount`` before the wait.
    mutating func waited(countBefore: Int, entityCount: Int64) {
        blockedCount = evictedCount == countBefore ? entityCount : min(blockedCount, entityCount)
    }

    /// Returns true if input has to wait for an eviction, because a limit is exceeded by more than a tenth.
    ///
    /// When no entity could be evicted, they are scanned again only after an eighth as many new ones have arrived,
    /// because each scan reads all of them.
    ///
    /// - Parameter countMax: The limit of entities; nil when there is none.
    func delaysInput(entityCount: Int64, countMax: Int64?) -> Bool {
        if isDiskCrowded { return true }
        guard let countMax else { return false }
        return entityCount > countMax.addingClamped(countMax / 10) && entityCount > blockedCount + blockedCount / 8
    }
}
