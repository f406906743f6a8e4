import TidemarkModel

/// Everything that one durable transaction writes: the last version of each entity that changed, and
/// the cursors that cover them (law L5).
///
/// The store goes on while a journal writes it: payloads are lent, and what is written to them meanwhile goes elsewhere. They may
/// be read until the store is told that the flush is with the journal, or hands out the next one; all else is a copy.
package struct FlushBatch: Sendable {
    /// Ids and fields of `rows`, and payloads that are not lent.
    package var bytes: [UInt8] = []
    /// What lent payloads lie in: kept as long as somebody has the flush.
    package var memory: PayloadMemory?
    /// Libraries whose entities and tombstones all go, before anything else of the flush is written.
    package var clearedLibraries: [LibraryIndex] = []
    /// Ascending by `row`, each row once.
    package var rows: [FlushRow] = []
    /// In the order they happened; a key may come twice, the last one counts.
    package var tombstones: [FlushTombstone] = []
    /// Names that were given an index since the last flush, in index order.
    package var newLibraries: [(index: LibraryIndex, name: ByteString)] = []
    package var newTypes: [(index: TypeIndex, name: ByteString)] = []
    /// The libraries whose status or entity count changed, whole.
    package var libraries: [LibraryRecord] = []
    /// Queries that are new or changed, whole; each number once.
    package var queries: [QueryRecord] = []
    /// Numbers of queries that go; none of them is in `queries`. A number that the journal never had is passed over.
    package var removedQueries: [Int64] = []
    /// Layers that are new or changed, whole; each number once.
    package var layers: [LayerRecord] = []
    /// Numbers of layers that go; none of them is in `layers`. A number that the journal never had is passed over.
    package var removedLayers: [Int64] = []
    /// Entities that left both tiers, and those that are no longer gone.
    package var evicted = EvictedChanges()
    /// New records, oldest first, without numbers.
    package var quarantine: [QuarantineRecord] = []
    /// Numbers of records to take out of quarantine.
    package var quarantineRemoved: [Int64] = []
    /// When it was taken: milliseconds since 1970, no earlier than any time in it; nil when unknown.
    package var takenAt: Int64?
    /// Totals since the database was made; nil when unchanged.
    package var counts: EventCounts?
    /// Ignored kinds by name, totals since the database was made; nil when unchanged.
    package var ignoredKinds: [ByteString: Int64]?

    package init() {}

    /// True when there is nothing to write.
    package var isEmpty: Bool {
        rows.isEmpty && tombstones.isEmpty && newLibraries.isEmpty && newTypes.isEmpty && libraries.isEmpty
            && clearedLibraries.isEmpty && queries.isEmpty && removedQueries.isEmpty && !needsSync
            && evicted.isEmpty && quarantine.isEmpty && quarantineRemoved.isEmpty && counts == nil
            && ignoredKinds == nil
    }

    /// Whether the commit must outlast a loss of power before it counts (`synchronous=FULL`): somebody waits for a layer.
    package var needsSync: Bool { !layers.isEmpty || !removedLayers.isEmpty }
}

/// A library's small number, given once and kept for the life of a database: 0 … `libraryCountMax` - 1.
package typealias LibraryIndex = UInt16

/// A resource type's small number, given once and kept for the life of a database.
package typealias TypeIndex = UInt16
