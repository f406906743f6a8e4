import TidemarkModel

/// A stored entity whose bytes passed their check.
public struct EntitySnapshot: Hashable, Sendable {
    /// The key of the entity.
    public var key: EntityKey
    /// The entity as JSON.
    public var payload: [UInt8]
    /// The sequence of the last event that wrote the entity; nil when that event had none.
    public var sequence: EventSequence?
    /// When the entity was last written, in milliseconds since 1970.
    public var writtenAt: Int64
    /// True if a pending layer changes the entity; always false unless layers were requested.
    public var isPending = false
    /// True if the entity is complete. If false, only some of its fields are left, and none may be shown.
    var isWhole = true
}

/// An entity as a user sees it: the server's version with the pending layers applied.
public struct VisibleAnswer: Hashable, Sendable {
    /// The result of the read; also `deleted` when a layer deletes the entity.
    public var answer: ReadAnswer
    /// The sequence of the server's version, even when a layer deletes the entity; nil when the file has no such
    /// version.
    public var sequence: EventSequence?
    /// True if a layer has a change for the entity, even one without a visible effect.
    public var isPending: Bool
    /// The layers that fail their check, any of which may cover the entity.
    public var damagedLayers: [DamagedRow]

    /// Creates an answer.
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
    /// The entity, which passed its check.
    case found(EntitySnapshot)
    /// The entity was never stored, or the file no longer remembers it.
    case absent
    /// The entity was deleted, and its tombstone is stored.
    case deleted
    /// The entity was evicted, completely or except for the fields that stay. The file remembers a bounded number of
    /// such keys.
    case evicted
    /// The entity is stored and fails its check, so it is not shown.
    case damaged(DamagedRow)
}

/// One step of a scan over the entities.
public enum ReadStep: Hashable, Sendable {
    /// The next entity in key order.
    case entity(EntitySnapshot)
    /// A row that fails its check.
    case damaged(DamagedRow)
}

/// A library with its recorded state.
public struct ReadLibrary: Hashable, Sendable {
    /// The stored status. Never `gap` or `reconciling`, which only a running cache can be in.
    public var status: LibraryStatus
    /// How many entities the writer recorded; `verify` compares it with the rows.
    public var entityCount: Int64
    /// How many logs the library had before the current one.
    public var generation: UInt32
}

/// The sizes of the files on disk, in bytes.
public struct ReadByteCounts: Hashable, Sendable {
    /// The size of the main file.
    public var database: Int64
    /// The size of the write-ahead log; 0 after a writer has closed normally.
    public var writeAheadLog: Int64
    /// The size of SQLite's index of the log.
    public var sharedMemory: Int64

    /// The sum of the three sizes.
    public var total: Int64 { database + writeAheadLog + sharedMemory }
}
