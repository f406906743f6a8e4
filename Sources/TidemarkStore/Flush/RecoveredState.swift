import TidemarkModel

/// Everything that a journal has read when it opens; entities are not read.
public struct RecoveredState: Sendable {
    /// The records of libraries; index `i` is at position `i`.
    public var libraries: [LibraryRecord] = []
    /// The names of types, by index.
    public var types: [ByteString] = []
    /// The tombstones, oldest first.
    public var tombstones: [(key: StoredKey, tombstone: Tombstone)] = []
    /// The highest row number in use; 0 when there is none.
    public var lastRow: Int64 = 0
    /// The records of queries, ascending by number.
    public var queries: [QueryRecord] = []
    /// The highest query number ever assigned; 0 when there was none.
    public var lastQuery: Int64 = 0
    /// The records of layers, ascending by number; records that failed their checks are left out.
    public var layers: [LayerRecord] = []
    /// The requests as they left of ``FlushBatch/sentRequests``; records that failed their checks are left out.
    public var sentRequests: [LayerRecord] = []
    /// The renamings of temporary ids, ascending by number; records that failed their checks are left out.
    public var renamings: [RenamingRecord] = []
    /// The still valid records of ``FlushBatch/evicted`` in all flushes; records that failed their checks are left out.
    public var evicted: [EvictedRecord] = []
    /// Whether every record of evicted keys passed its checks; otherwise keys of any library may be missing.
    public var isEvictedWhole = true
    /// The ``FlushBatch/takenAt`` of the last flush; nil when no flush had one.
    public var lastTakenAt: Int64?
    /// Whether the journal still reads where its entities are: it answers, and `Journal.finishOpening()` tells whether
    /// all are there.
    public var isOpening = false
    public var counts = EventCounts()
    public var ignoredKinds: [ByteString: Int64] = [:]

    public init() {}
}
