import TidemarkModel

/// The whole state of a cache, as a value: events go in, changed entities and cursors come out.
///
/// Pure and synchronous: it reads no clock and waits for nothing. Its owner is the actor `SyncCache`.
///
/// - Note: What an event touches must be in memory before it is applied: ``keysToLoad(for:)`` names what is not.
package struct CacheState: ~Copyable {
    package let configuration: CacheStateConfiguration
    /// Of the configuration's policy.
    let cascades: CascadeRules

    package internal(set) var entities: EntityStore
    package internal(set) var tombstones: TombstoneStore
    /// Totals since the database was made.
    package internal(set) var counts: EventCounts
    /// Totals since the database was made, by name; at most `ignoredKindCountMax` and one for the rest.
    package internal(set) var ignoredKinds: [ByteString: Int64]

    /// By library index; bounded by `libraryCountMax`.
    var libraries: [LibraryEntry]
    var libraryNames: NameTable
    var typeNames: NameTable
    /// Of the configuration, by the types that have a number; see ``learnTypes()``.
    var typeRules = TypeRules()
    var learntTypeCount = 0
    /// The type that was asked for last, under the name on the wire.
    var lastType: (name: [UInt8], index: TypeIndex)?
    /// How often numbers were declared lost: a change says that there is more to ask for again.
    package internal(set) var lossCount: Int64 = 0
    /// Libraries whose entry is watched; each once.
    var watched: [LibraryIndex] = []
    /// Records since the last flush, bounded by the flush policy.
    var quarantine: [QuarantineRecord] = []
    var quarantineRemoved: [Int64] = []
    /// Entities that only the journal holds.
    package internal(set) var absentCount: Int64
    /// Bounded by `queryCountMax`.
    var queries: QueryIndex
    /// Bounded by `layerCountMax` and `layerByteCountMax`.
    var layers = LayerStack()
    /// Kept up while ``isAwaitingAnswers``.
    var recentWrites = RecentWrites()
    /// Fetches under way: their answers may be older than what was written meanwhile.
    var fetchCount = 0
    /// Whether changes of the libraries' phases are logged.
    package var hasLibraryObservers = false
    /// Keys that were forgotten while the journal still has their rows: taken for absent until it has not.
    var forgotten = ForgottenKeys()
    /// Bounded by `evictedKeyCountMax`.
    var evicted: EvictedKeys
    /// Libraries that go from the journal with the next flush.
    var clearedLibraries: [LibraryIndex] = []
    /// What left both tiers since somebody asked last; nil while nobody does.
    var leavings: Leavings?
    /// Something changed since the last flush, more than counts.
    package internal(set) var isUnwritten = false
    /// Lines were counted since the last flush; written with what changes next, or at the end.
    package internal(set) var areCountsUnwritten = false

    package init(configuration: CacheStateConfiguration, recovered: RecoveredState, seed: UInt64) {
        self.configuration = configuration
        cascades = CascadeRules(configuration.policy, aliases: configuration.typeAliases)
        let limits = configuration.limits
        entities = EntityStore(seed: seed, lastRow: recovered.lastRow)
        tombstones = TombstoneStore(limits: limits, recovered: recovered.tombstones)
        evicted = EvictedKeys(
            countMax: limits.evictedKeyCountMax, recovered: recovered.evicted,
            libraryCount: recovered.libraries.count)
        counts = recovered.counts
        ignoredKinds = recovered.ignoredKinds
        libraries = recovered.libraries.map { record in
            LibraryEntry(
                gate: SequenceGate(recovered: record, limits: limits), entityCount: record.entityCount,
                answeredThrough: record.answeredThrough, forgottenThrough: record.forgottenThrough, isChanged: false,
                isRecovered: true)
        }
        for index in libraries.indices { libraries[index].written = recovered.libraries[index] }
        queries = QueryIndex(
            limits: limits, keptListByteCountMax: configuration.keptListByteCountMax, lastNumber: recovered.lastQuery)
        libraryNames = NameTable(recovered: recovered.libraries.map(\.name), countMax: limits.libraryCountMax)
        typeNames = NameTable(recovered: recovered.types, countMax: limits.typeCountMax)
        absentCount = recovered.libraries.reduce(0) { $0 + $1.entityCount }
        learnTypes()
        for library in evicted.forgottenOnRecovery { noteForgotten(in: library) }
        if !recovered.isEvictedWhole {
            for index in libraries.indices { noteForgotten(in: LibraryIndex(index)) }
        }
        for record in recovered.queries { restore(record) }
        for record in recovered.layers { restore(record) }
        forgetRecentWrites()
    }

    /// Entities in memory and with the journal.
    package var entityCount: Int64 { libraries.reduce(0) { $0 + $1.entityCount } }

    /// Events of inputs in reorder buffers: their lines are counted in no bin yet.
    package var heldCount: Int {
        libraries.reduce(0) { sum, library in sum + library.gate.held.all.count { $0.source != .upstream } }
    }

    /// The lowest line of an input that waits in a reorder buffer; lines from it on are not all applied yet.
    package func firstHeldLine(of input: InputID) -> Int64? {
        var first: Int64?
        for library in watched {
            for event in libraries[Int(library)].gate.held.all {
                if case .line(input, let line) = event.source { first = min(first ?? line, line) }
            }
        }
        return first
    }

    /// Every library, by index.
    package var statuses: [LibraryStatus] {
        libraries.indices.map { status(of: LibraryIndex($0)) }
    }

    /// - Returns: nil when nothing is known of the library.
    package func status(named name: ByteString) -> LibraryStatus? {
        libraryNames.existingIndex(of: name).map { status(of: $0) }
    }

    package func status(of library: LibraryIndex) -> LibraryStatus {
        let entry = libraries[Int(library)]
        return LibraryStatus(
            library: libraryNames.names[Int(library)], epoch: entry.gate.epoch ?? "",
            cursor: entry.gate.cursor == .beforeFirst ? nil : entry.gate.cursor, phase: entry.phase,
            lost: entry.gate.lost.ranges)
    }
}
