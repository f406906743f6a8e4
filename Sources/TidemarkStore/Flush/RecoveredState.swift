import TidemarkModel

/// What a journal knows when it opens, without having read the entities.
package struct RecoveredState: Sendable {
    /// By index; index `i` stands at position `i`.
    package var libraries: [LibraryRecord] = []
    /// By index.
    package var types: [ByteString] = []
    /// Oldest first.
    package var tombstones: [(key: StoredKey, tombstone: Tombstone)] = []
    /// The highest row number in use; 0 when there is none.
    package var lastRow: Int64 = 0
    /// Ascending by number.
    package var queries: [QueryRecord] = []
    /// The highest query number ever given; 0 when there was none.
    package var lastQuery: Int64 = 0
    /// Ascending by number; those that failed their checks are left out.
    package var layers: [LayerRecord] = []
    /// ``FlushBatch/evicted`` of all flushes, as far as it counts; records that failed their checks are left out.
    package var evicted: [EvictedRecord] = []
    /// False when records of evicted keys failed their checks: keys of any library may be among them.
    package var isEvictedWhole = true
    /// ``FlushBatch/takenAt`` of the last flush; nil when none said.
    package var lastTakenAt: Int64?
    package var counts = EventCounts()
    package var ignoredKinds: [ByteString: Int64] = [:]

    package init() {}
}
