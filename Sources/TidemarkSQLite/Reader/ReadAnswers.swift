import TidemarkModel

/// One stored entity as a reader returns it: its bytes passed their check.
public struct EntitySnapshot: Hashable, Sendable {
    public var key: EntityKey
    /// The resource's JSON.
    public var payload: [UInt8]
    /// The sequence of the last event that wrote the entity; nil when that event had none.
    public var sequence: EventSequence?
    /// The time of the last write, in milliseconds since 1970.
    public var writtenAt: Int64
    /// Whether a layer covers the entity; false unless layers were requested.
    public var isPending = false
    /// Whether the entity is complete. When false, only some fields are left, and nothing of it may be shown.
    var isWhole = true
}

/// The state of an entity as a user sees it, with the pending layers applied to the server's data.
public struct VisibleAnswer: Hashable, Sendable {
    /// The result of the read; `deleted` also when a layer deletes the entity.
    public var answer: ReadAnswer
    /// The sequence of the server's version, even when a layer deletes the entity; nil when the server's data does not
    /// have it.
    public var sequence: EventSequence?
    /// Whether a layer has a change for the entity, even one that has no visible effect.
    public var isPending: Bool
    /// The layers that fail their check. Whether they cover the entity cannot be known.
    public var damagedLayers: [DamagedRow]

    package init(
        answer: ReadAnswer, sequence: EventSequence? = nil, isPending: Bool, damagedLayers: [DamagedRow]
    ) {
        self.answer = answer
        self.sequence = sequence
        self.isPending = isPending
        self.damagedLayers = damagedLayers
    }
}

/// The result of reading one entity.
public enum ReadAnswer: Hashable, Sendable {
    case found(EntitySnapshot)
    /// The entity was never stored, or was removed without a trace.
    case absent
    /// The entity was deleted, and its tombstone is stored.
    case deleted
    /// The entity was evicted, completely or except for the fields that stay, as far as the file remembers.
    case evicted
    /// The entity is stored, but it fails its check and is not shown.
    case damaged(DamagedRow)
}

/// One step of a scan over the entities.
public enum ReadStep: Hashable, Sendable {
    /// The next entity in key order.
    case entity(EntitySnapshot)
    case damaged(DamagedRow)
}

/// A library as a reader returns it.
public struct ReadLibrary: Hashable, Sendable {
    /// The stored status: never `gap` or `reconciling`, which only a running engine knows.
    public var status: LibraryStatus
    /// The number of entities that the writer recorded; `verify` compares it with the rows.
    public var entityCount: Int64
    /// The number of logs that the library had before the current one.
    public var generation: UInt32
}

/// The sizes of the files on disk, in bytes.
public struct ReadByteCounts: Hashable, Sendable {
    /// The size of the main file.
    public var database: Int64
    /// The size of the write-ahead log; 0 after a writer closed in order.
    public var writeAheadLog: Int64
    /// The size of SQLite's index of the log.
    public var sharedMemory: Int64

    /// The sum of the three sizes.
    public var total: Int64 { database + writeAheadLog + sharedMemory }
}
