/// The question to the delegate before entities are evicted.
public struct EvictionCheck: Hashable, Sendable {
    /// The limit that was passed.
    public enum Tier: String, Sendable {
        /// The bytes of entities in memory. An evicted entity is loaded from the disk again.
        case memory
        /// The bytes on the disk. An evicted entity has to be fetched again.
        case disk
        /// The number of entities in both tiers. An evicted entity has to be fetched again.
        case entities
    }

    public var tier: Tier
    /// The current bytes or entities.
    public var count: Int64
    /// The limit that was passed, in the same unit.
    public var limit: Int64

    public init(tier: Tier, count: Int64, limit: Int64) {
        self.tier = tier
        self.count = count
        self.limit = limit
    }
}
