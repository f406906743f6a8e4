/// What ``EvictionPolicy/willEvict`` is given before entities are evicted: the limit that was exceeded, and by how
/// much.
public struct EvictionCheck: Hashable, Sendable {
    /// A limit that can be exceeded.
    public enum Tier: String, Sendable {
        /// The bytes of entities in memory. An evicted entity is loaded from the disk again.
        case memory
        /// The bytes on the disk. An evicted entity has to be fetched again.
        case disk
        /// The number of entities in both tiers. An evicted entity has to be fetched again.
        case entities
    }

    /// The limit that was exceeded.
    public var tier: Tier
    /// The current number of bytes or entities.
    public var count: Int64
    /// The limit, in the unit of ``count``.
    public var limit: Int64

    /// Makes a check, for tests of a delegate.
    public init(tier: Tier, count: Int64, limit: Int64) {
        self.tier = tier
        self.count = count
        self.limit = limit
    }
}
