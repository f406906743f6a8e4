import TidemarkModel

/// A change to one key's tombstone since the last flush.
///
/// ```swift
/// func apply(_ changes: [FlushTombstone], to tombstones: inout [StoredKey: Tombstone]) {
///     for change in changes { tombstones[change.key] = change.tombstone }
/// }
/// ```
public struct FlushTombstone: Sendable {
    /// The key of the deleted entity.
    public var key: StoredKey
    /// The new tombstone; nil to remove it, because the entity was stored again or the tombstone was evicted.
    public var tombstone: Tombstone?

    /// Creates a change that writes a tombstone, or removes it when `tombstone` is nil.
    public init(key: StoredKey, tombstone: Tombstone?) {
        self.key = key
        self.tombstone = tombstone
    }
}

/// The record of a deleted entity. It prevents an older change from restoring the entity.
public struct Tombstone: Hashable, Sendable {
    /// The sequence of the delete; nil if it had none.
    public var sequence: EventSequence?
    /// The generation of the library's log at the delete. Sequences of different generations cannot be compared.
    public var generation: UInt32
    /// When the entity was deleted, in milliseconds since 1970.
    public var deletedAt: Int64

    /// Creates the record of a delete.
    public init(sequence: EventSequence?, generation: UInt32, deletedAt: Int64) {
        self.sequence = sequence
        self.generation = generation
        self.deletedAt = deletedAt
    }
}
