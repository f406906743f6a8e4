/// The state of evictions: the delegate's consent, the results of the last scans, and the tasks under way.
struct EvictionState {
    var memoryConsent = EvictionConsent()
    /// The consent to evictions from both tiers.
    var tierConsent = EvictionConsent()
    var residentScan = ResidentScan()
    var rowScan = StoredRowScan()
    /// The scan that spares entities of followed types.
    var sparingScan = StoredRowScan()
    var pressure = LimitPressure()
    /// The number of entities evicted so far, from memory or from both tiers.
    private(set) var evictedCount = 0

    /// The task that continues an eviction from memory, or calls the delegate for one; nil when there is nothing to do.
    var memoryTask: Task<Void, Never>?
    /// The task that evicts entities of types that do not stay in memory; nil when there are none.
    var excludedTask: Task<Void, Never>?
    /// The task that asks the delegate whether entities may be evicted from both tiers; nil when none runs.
    var tierQuestion: Task<Void, Never>?
    /// The task that returns free space of the journal to the disk, step by step; nil when there is little.
    var shrinkTask: Task<Void, Never>?

    /// Counts entities that were evicted from memory and stay in the journal.
    mutating func evictedFromMemory(_ count: Int) {
        evictedCount += count
        movedToJournal(count)
    }

    /// Counts entities that only the journal has from now on.
    mutating func movedToJournal(_ count: Int) {
        rowScan.moved(count)
        sparingScan.moved(count)
    }

    /// Counts entities that were evicted from both tiers, or reduced.
    mutating func evictedFromBothTiers(_ count: Int) {
        evictedCount += count
        pressure.evicted(count)
    }

    /// Resets what a commit may have changed: which entities can be evicted, and what the delegate would answer.
    mutating func committed() {
        residentScan.committed()
        memoryConsent.committed()
        tierConsent.committed()
    }
}
