import TidemarkModel

/// Everything that a journal writes in one transaction: the last version of each changed entity, and the cursors that
/// cover these changes (law L5).
///
/// The store continues while a journal writes the flush: payloads are lent, and later writes use other memory. A
/// payload may be read until `Journal.commit(_:)` returns. If the commit failed, the same flush is committed again; its
/// payloads stay readable until then. Everything else in a flush is a copy.
///
/// A journal of your own writes all parts of a flush, or none:
///
/// ```swift
/// func write(_ flush: FlushBatch, to entities: inout [StoredKey: [UInt8]]) {
///     entities = entities.filter { !flush.clearedLibraries.contains($0.key.library) }
///     for row in flush.rows {
///         switch row.change {
///         case .insert, .update: entities[flush.key(of: row)] = flush.payload(of: row)
///         case .stamp: break
///         case .delete: entities[flush.key(of: row)] = nil
///         }
///     }
/// }
/// ```
public struct FlushBatch: Sendable {
    /// The ids and fields of `rows`, and the payloads that are not lent.
    package var bytes: [UInt8] = []
    /// The memory of lent payloads, kept alive as long as the flush exists. nil if nothing is lent.
    package var memory: PayloadMemory?
    /// The libraries whose stored entities and tombstones are removed before anything else of the flush is written.
    package(set) public var clearedLibraries: [LibraryIndex] = []
    /// The changed entities, ascending by `row`; each row occurs once.
    package(set) public var rows: [FlushRow] = []
    /// The changes to tombstones in order. A key may occur twice; the last change counts.
    package(set) public var tombstones: [FlushTombstone] = []
    /// The libraries that received an index since the last flush, in index order.
    package(set) public var newLibraries: [(index: LibraryIndex, name: ByteString)] = []
    /// The resource types that received an index since the last flush, in index order.
    package(set) public var newTypes: [(index: TypeIndex, name: ByteString)] = []
    /// The complete records of libraries whose status or entity count changed.
    package(set) public var libraries: [LibraryRecord] = []
    /// The complete records of new and changed queries; each query number occurs once.
    package(set) public var queries: [QueryRecord] = []
    /// The numbers of removed queries; none of them is in `queries`. Skip a number that the journal does not have.
    package(set) public var removedQueries: [Int64] = []
    /// The complete records of new and changed layers; each layer number occurs once.
    package(set) public var layers: [LayerRecord] = []
    /// Requests exactly as they were sent, for layers that changed afterwards. Each record has the `pendingID` of its
    /// layer and a number of its own. The journal keeps them beside the layers.
    package(set) public var sentRequests: [LayerRecord] = []
    /// The new and changed renamings of temporary ids. The journal keeps them beside the layers.
    package(set) public var renamings: [RenamingRecord] = []
    /// The numbers of removed layers, sent requests and renamings; the flush writes none of them. Skip a number that
    /// the journal does not have.
    package(set) public var removedLayers: [Int64] = []
    /// The changes to the set of keys that were evicted from both tiers.
    package(set) public var evicted = EvictedChanges()
    /// The new quarantine records, oldest first; the journal numbers them.
    package(set) public var quarantine: [QuarantineRecord] = []
    /// The numbers of the quarantine records to remove.
    package(set) public var quarantineRemoved: [Int64] = []
    /// The changes of data beside the entities that must be committed together with them, in their order.
    package var attached: [any AttachedChange] = []
    /// When the flush was taken, in milliseconds since 1970; no time in the flush is later. nil when unknown.
    package(set) public var takenAt: Int64?
    /// The event totals since the database was created; nil when unchanged.
    package(set) public var counts: EventCounts?
    /// The totals of ignored event kinds since the database was created, by name; nil when unchanged.
    package(set) public var ignoredKinds: [ByteString: Int64]?

    /// Creates an empty flush.
    package init() {}

    /// True if there is nothing to write.
    public var isEmpty: Bool {
        rows.isEmpty && tombstones.isEmpty && newLibraries.isEmpty && newTypes.isEmpty && libraries.isEmpty
            && clearedLibraries.isEmpty && queries.isEmpty && removedQueries.isEmpty && !needsSync
            && evicted.isEmpty && attached.isEmpty && quarantine.isEmpty && quarantineRemoved.isEmpty && counts == nil
            && ignoredKinds == nil
    }

    /// True if the commit must survive a loss of power before it returns, because a caller waits for a layer. Other
    /// commits may reach the disk later, in order, as with SQLite's `synchronous=NORMAL`.
    public var needsSync: Bool {
        !layers.isEmpty || !removedLayers.isEmpty || !sentRequests.isEmpty || !renamings.isEmpty
    }
}
