import TidemarkModel

/// What a journal knows when it opens, without reading entities.
///
/// A journal fills in what it has stored:
///
/// ```swift
/// func recover(_ libraries: [LibraryRecord], lastRow: Int64) -> RecoveredState {
///     var state = RecoveredState()
///     state.libraries = libraries
///     state.lastRow = lastRow
///     return state
/// }
/// ```
public struct RecoveredState: Sendable {
    /// The records of libraries; the position of each is its index.
    public var libraries: [LibraryRecord] = []
    /// The names of resource types; the position of each is its index.
    public var types: [ByteString] = []
    /// The tombstones, oldest first.
    public var tombstones: [(key: StoredKey, tombstone: Tombstone)] = []
    /// The highest row number in use; 0 if there are no rows.
    public var lastRow: Int64 = 0
    /// The records of queries, ascending by number.
    public var queries: [QueryRecord] = []
    /// The highest query number that was ever assigned; 0 if there was none.
    public var lastQuery: Int64 = 0
    /// The records of layers, ascending by number. Records that failed their checks are left out.
    public var layers: [LayerRecord] = []
    /// The records of ``FlushBatch/sentRequests``. Records that failed their checks are left out.
    public var sentRequests: [LayerRecord] = []
    /// The renamings of temporary ids, ascending by number. Records that failed their checks are left out.
    public var renamings: [RenamingRecord] = []
    /// The records of ``FlushBatch/evicted`` that still apply. Records that failed their checks are left out.
    public var evicted: [EvictedRecord] = []
    /// True if every record of evicted keys passed its checks. Otherwise keys of any library may be missing.
    public var isEvictedWhole = true
    /// The ``FlushBatch/takenAt`` of the last flush; nil if no flush had one.
    public var lastTakenAt: Int64?
    /// True if the journal is still locating its entities. It already serves calls; `Journal.finishOpening()` returns
    /// when all are found, and reports a loss.
    public var isOpening = false
    /// The event totals since the database was created.
    public var counts = EventCounts()
    /// The totals of ignored event kinds since the database was created, by name.
    public var ignoredKinds: [ByteString: Int64] = [:]

    /// Creates the state of an empty journal.
    public init() {}
}
