import TidemarkModel

/// One stored entity as a reader gives it: verified bytes.
public struct ReadEntity: Hashable, Sendable {
    public var key: EntityKey
    /// The resource's JSON.
    public var payload: [UInt8]
    /// Sequence of the last event that wrote it; nil when that had none.
    public var sequence: EventSequence?
    /// Milliseconds since 1970.
    public var writtenAt: Int64
    /// A layer covers it; false unless layers were asked for.
    public var isPending = false
    /// false: only some fields are left, and nothing of it is to be shown.
    var isWhole = true
}

/// What an entity is as a user sees it, pending layers laid over what the server said.
public struct VisibleAnswer: Hashable, Sendable {
    /// `deleted`, too, when a layer deletes it.
    public var answer: ReadAnswer
    /// What the server's value stands for, also where only a layer deletes it; nil where there is nothing of it.
    public var sequence: EventSequence?
    /// A layer has a change for it, whether or not that shows.
    public var isPending: Bool
    /// Layers that fail their check: whether they cover it cannot be known.
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

/// What a look for one entity found.
public enum ReadAnswer: Hashable, Sendable {
    case found(ReadEntity)
    /// Never stored, or removed without a trace.
    case absent
    /// A tombstone is left.
    case deleted
    /// Dropped to make room, as far as that is remembered, whole or but for the fields that stay.
    case evicted
    /// Stored, but it fails its check and is not shown.
    case damaged(DamagedRow)
}

/// One step of a walk over the entities.
public enum ReadStep: Hashable, Sendable {
    /// The next entity in key order.
    case entity(ReadEntity)
    case damaged(DamagedRow)
}

/// A library as a reader shows it.
public struct ReadLibrary: Hashable, Sendable {
    /// As stored: never `gap` or `reconciling`, which only a running engine knows.
    public var status: LibraryStatus
    /// As the writer recorded it; `verify` compares it with the rows.
    public var entityCount: Int64
    /// Counts the logs the library has had.
    public var generation: UInt32
}

/// Bytes on disk.
public struct ReadByteCounts: Hashable, Sendable {
    /// The main file.
    public var database: Int64
    /// The write-ahead log; 0 after a writer closed in order.
    public var writeAheadLog: Int64
    /// SQLite's index of the log.
    public var sharedMemory: Int64

    /// All three.
    public var total: Int64 { database + writeAheadLog + sharedMemory }
}
