/// What somebody is told before entities are evicted.
public struct EvictionCheck: Hashable, Sendable {
    /// Which limit was passed.
    public enum Tier: String, Sendable {
        /// Bytes of entities in memory. What goes is read from the disk again.
        case memory
        /// Bytes on the disk. What goes has to be fetched again.
        case disk
        /// The number of entities in both tiers. What goes has to be fetched again.
        case entities
    }

    public var tier: Tier
    /// Bytes, or entities, that there are.
    public var count: Int64
    /// The limit that they passed, in the same unit.
    public var limit: Int64

    public init(tier: Tier, count: Int64, limit: Int64) {
        self.tier = tier
        self.count = count
        self.limit = limit
    }
}
