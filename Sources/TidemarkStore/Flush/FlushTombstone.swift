import TidemarkModel

/// A change to the tombstones since the last flush.
public struct FlushTombstone: Sendable {
    public var key: StoredKey
    /// The new tombstone; nil: it is removed, because the entity was stored again or the tombstone was evicted.
    public var tombstone: Tombstone?

    public init(key: StoredKey, tombstone: Tombstone?) {
        self.key = key
        self.tombstone = tombstone
    }
}

/// The remainder of a deleted entity, so that an older change cannot bring it back.
public struct Tombstone: Hashable, Sendable {
    /// The sequence of the delete; nil when it had none.
    public var sequence: EventSequence?
    /// The library's generation at the delete; sequences compare only within one.
    public var generation: UInt32
    /// The time of the delete, in milliseconds since 1970.
    public var deletedAt: Int64

    public init(sequence: EventSequence?, generation: UInt32, deletedAt: Int64) {
        self.sequence = sequence
        self.generation = generation
        self.deletedAt = deletedAt
    }
}
