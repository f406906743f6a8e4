import TidemarkModel

/// Everything that a journal has read when it opens; entities are not read.
package struct RecoveredState: Sendable {
    /// The records of libraries; index `i` is at position `i`.
    package var libraries: [LibraryRecord] = []
    /// The names of types, by index.
    package var types: [ByteString] = []
    /// The tombstones, oldest first.
    package var tombstones: [(key: StoredKey, tombstone: Tombstone)] = []
    /// The highest row number in use; 0 when there is none.
    package var lastRow: Int64 = 0
    /// The records of queries, ascending by number.
    package var queries: [QueryRecord] = []
    /// The highest query number ever assigned; 0 when there was none.
    package var lastQuery: Int64 = 0
    /// The records of layers, ascending by number; records that failed their checks are left out.
    package var layers: [LayerRecord] = []
    /// The still valid records of ``FlushBatch/evicted`` in all flushes; records that failed their checks are left out.
    package var evicted: [EvictedRecord] = []
    /// Whether every record of evicted keys passed its checks; otherwise keys of any library may be missing.
    package var isEvictedWhole = true
    /// The ``FlushBatch/takenAt`` of the last flush; nil when no flush had one.
    package var lastTakenAt: Int64?
    package var counts = EventCounts()
    package var ignoredKinds: [ByteString: Int64] = [:]

    package init() {}
}
