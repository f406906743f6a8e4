import TidemarkModel

/// Everything that one durable transaction writes: the last version of each entity that changed, and the cursors that
/// cover them (law L5).
///
/// The store continues while a journal writes the flush: payloads are lent, and later writes go to other memory.
/// Payloads may be read until the store learns that the flush is committed, or until it returns the next flush;
/// everything else is a copy.
public struct FlushBatch: Sendable {
    /// The ids and fields of `rows`, and the payloads that are not lent.
    package var bytes: [UInt8] = []
    /// The memory of lent payloads: kept alive as long as the flush exists.
    package var memory: PayloadMemory?
    /// The libraries whose entities and tombstones are all removed, before anything else of the flush is written.
    package(set) public var clearedLibraries: [LibraryIndex] = []
    /// The changed rows, ascending by `row`, each row once.
    package(set) public var rows: [FlushRow] = []
    /// The changes to tombstones in order; a key may occur twice, and the last one counts.
    package(set) public var tombstones: [FlushTombstone] = []
    /// The names that were assigned an index since the last flush, in index order.
    package(set) public var newLibraries: [(index: LibraryIndex, name: ByteString)] = []
    package(set) public var newTypes: [(index: TypeIndex, name: ByteString)] = []
    /// The complete records of libraries whose status or entity count changed.
    package(set) public var libraries: [LibraryRecord] = []
    /// The complete records of new and changed queries; each number once.
    package(set) public var queries: [QueryRecord] = []
    /// The numbers of removed queries; none of them is in `queries`. A number that the journal never had is skipped.
    package(set) public var removedQueries: [Int64] = []
    /// The complete records of new and changed layers; each number once.
    package(set) public var layers: [LayerRecord] = []
    /// The requests of layers as they left, where the layers no longer tell: their changes and requests, with the
    /// `pendingID` of the layer and a number of their own. They are kept beside the layers.
    package(set) public var sentRequests: [LayerRecord] = []
    /// The new and changed renamings of temporary ids, kept beside the layers.
    package(set) public var renamings: [RenamingRecord] = []
    /// The numbers of removed layers, sent requests and renamings; the flush writes none of them. A number that the
    /// journal never had is skipped.
    package(set) public var removedLayers: [Int64] = []
    /// The changes to the keys evicted from both tiers.
    package(set) public var evicted = EvictedChanges()
    /// The new quarantine records, oldest first, without numbers.
    package(set) public var quarantine: [QuarantineRecord] = []
    /// The numbers of records to remove from quarantine.
    package(set) public var quarantineRemoved: [Int64] = []
    /// The changes of stored HTTP answers that belong to the changes of entities.
    package var http: [HTTPChange] = []
    /// The time when the flush was taken, in milliseconds since 1970, no earlier than any time in it; nil when unknown.
    package(set) public var takenAt: Int64?
    /// The totals since the database was made; nil when unchanged.
    package(set) public var counts: EventCounts?
    /// The totals of ignored kinds since the database was made, by name; nil when unchanged.
    package(set) public var ignoredKinds: [ByteString: Int64]?

    package init() {}

    /// Whether there is nothing to write.
    public var isEmpty: Bool {
        rows.isEmpty && tombstones.isEmpty && newLibraries.isEmpty && newTypes.isEmpty && libraries.isEmpty
            && clearedLibraries.isEmpty && queries.isEmpty && removedQueries.isEmpty && !needsSync
            && evicted.isEmpty && http.isEmpty && quarantine.isEmpty && quarantineRemoved.isEmpty && counts == nil
            && ignoredKinds == nil
    }

    /// Whether the commit must survive a loss of power before it counts: a caller waits for a layer. Other commits may
    /// reach the disk in their order some time later, as with SQLite's `synchronous=NORMAL`.
    public var needsSync: Bool {
        !layers.isEmpty || !removedLayers.isEmpty || !sentRequests.isEmpty || !renamings.isEmpty
    }
}
