import TidemarkModel

/// The whole state of a cache, as a value: events go in, changed entities and cursors come out.
///
/// Pure and synchronous: it reads no clock and waits for nothing. Its owner is the actor `SyncCache`.
///
/// - Note: The entities that an event touches must be in memory before it is applied: ``keysToLoad(for:)`` names those
///   that are not.
package struct CacheState: ~Copyable {
    private let fixed: Shared<CacheStateConfiguration>
    /// The cascade rules of the configuration's policy.
    let cascades: CascadeRules

    package internal(set) var entities: EntityStore
    private var ownedTombstones: Owned<TombstoneStore>
    /// The totals since the database was made.
    package internal(set) var counts: EventCounts
    /// The counts of single inputs; empty unless somebody asked for them.
    package var tallies = InputTallies()
    /// The totals of ignored kinds since the database was made, by name; at most `ignoredKindCountMax` and one for the
    /// rest.
    package internal(set) var ignoredKinds: [ByteString: Int64]

    /// The libraries, with their gates; bounded by `libraryCountMax`.
    var libraries: Libraries
    /// The types, with the configuration's rules for them; bounded by `typeCountMax`.
    var types: ResourceTypes
    /// The number of times that numbers were declared lost: a change means that there is more to heal.
    package internal(set) var lossCount: Int64 = 0
    /// The changes of the quarantine since the last flush, bounded by the flush policy.
    var quarantine = QuarantineChanges()
    private var ownedResidency: Owned<Residency>
    /// The storage of ``queries``; a closure reads it while another part changes.
    var ownedQueries: Owned<QueryIndex>
    private var ownedLayers = Owned(LayerStack())
    /// The recent writes; maintained while ``isAwaitingAnswers``.
    var recentWrites = RecentWrites()
    /// The fields of recent writes; maintained while ``isAwaitingAnswers``.
    var fieldWrites = FieldWrites()
    /// The log of everything that became stale, was cleared, or was changed by a request while questions were open.
    var meanwhile = MeanwhileLog()
    /// The number of questions so far: fetches, and answers that nobody asked for.
    var questionCount: Int64 = 0
    /// The number of fetches under way: their answers may be older than writes made meanwhile.
    var fetchCount = 0
    /// Whether changes of the libraries' phases are logged.
    package var hasLibraryObservers = false
    /// The epoch of the log that is followed now, if events can disappear from it without a trace.
    var tracelessEpoch: ByteString?
    /// The events that observers of the log are notified of; bounded by ``EventLog``.
    var eventLog = EventLog()
    /// The last events with their content; bounded by `keptEventByteCountMax`.
    package internal(set) var keptEvents: KeptEvents
    /// The evictions since the last call of ``drainEvictionLog()``; nil while they are not logged.
    var evictionLog: EvictionLog?
    /// Whether something other than counts changed since the last flush.
    package internal(set) var isUnwritten = false
    /// Whether lines were counted since the last flush; the counts are written with the next change, or at the end.
    package internal(set) var areCountsUnwritten = false

    package init(configuration: CacheStateConfiguration, recovered: RecoveredState, seed: UInt64) {
        fixed = Shared(configuration)
        cascades = CascadeRules(configuration.policy, aliases: configuration.typeAliases)
        let limits = configuration.limits
        entities = EntityStore(seed: seed, lastRow: recovered.lastRow)
        ownedTombstones = Owned(TombstoneStore(limits: limits, recovered: recovered.tombstones))
        ownedResidency = Owned(Residency(recovered: recovered, limits: limits))
        counts = recovered.counts
        keptEvents = KeptEvents(byteCountMax: configuration.keptEventByteCountMax)
        ignoredKinds = recovered.ignoredKinds
        libraries = Libraries(recovered: recovered.libraries, limits: limits)
        types = ResourceTypes(
            recovered: recovered.types, aliases: configuration.typeAliases, countMax: limits.typeCountMax)
        ownedQueries = Owned(
            QueryIndex(
                limits: limits, keptListByteCountMax: configuration.keptListByteCountMax,
                lastNumber: recovered.lastQuery))
        resolveTypeRules()
        for library in residency.forgottenOnRecovery { noteForgotten(in: library) }
        if !recovered.isEvictedWhole {
            for library in libraries.indexes { noteForgotten(in: library) }
        }
        for var record in recovered.queries {
            record.storedAt = configuration.doubts.dated(record.storedAt)
            record.staleSince = record.staleSince.map { configuration.doubts.dated($0) }
            restore(record)
        }
        for record in recovered.layers { restore(record) }
        restoreRequests(recovered)
        forgetRecentWrites()
    }

    package internal(set) var tombstones: TombstoneStore {
        @inline(__always) _read { yield ownedTombstones.value }
        @inline(__always) _modify { yield &ownedTombstones.value }
    }

    /// The entities that only the journal has, and the keys that no tier has any more; bounded by
    /// `evictedKeyCountMax` and the flush policy.
    var residency: Residency {
        @inline(__always) _read { yield ownedResidency.value }
        @inline(__always) _modify { yield &ownedResidency.value }
    }

    /// The stored queries and their lists; bounded by `queryCountMax`.
    var queries: QueryIndex {
        @inline(__always) _read { yield ownedQueries.value }
        @inline(__always) _modify { yield &ownedQueries.value }
    }

    /// The pending layers; bounded by `layerCountMax` and `layerByteCountMax`.
    var layers: LayerStack {
        @inline(__always) _read { yield ownedLayers.value }
        @inline(__always) _modify { yield &ownedLayers.value }
    }

    package var configuration: CacheStateConfiguration {
        @inline(__always) _read { yield fixed.value }
    }

    /// The number of entities in memory and with the journal.
    package var entityCount: Int64 { libraries.sum(\.entityCount) }

    /// The number of entities that only the journal holds.
    package var absentCount: Int64 { residency.absentCount }

    /// The number of events from inputs in reorder buffers: their lines are counted in no bin yet.
    package var heldCount: Int {
        libraries.indexes.reduce(0) { sum, library in
            sum + libraries[library].gate.held.all.count { $0.source.isCounted }
        }
    }

    /// Returns the lowest line of an input that is held in a reorder buffer; not all lines from it on are applied yet.
    package func firstHeldLine(of input: InputID) -> Int64? {
        var first: Int64?
        for library in libraries.watched {
            for event in libraries[library].gate.held.all {
                if case .line(input, let line) = event.source { first = min(first ?? line, line) }
            }
        }
        return first
    }

    /// The status of every library, by index.
    package var statuses: [LibraryStatus] {
        libraries.indexes.map { status(of: $0) }
    }

    /// Returns the status of a library by its name.
    ///
    /// - Returns: nil when nothing is known of the library.
    package func status(named name: ByteString) -> LibraryStatus? {
        libraries.index(of: name).map { status(of: $0) }
    }

    package func status(of library: LibraryIndex) -> LibraryStatus {
        let entry = libraries[library]
        return LibraryStatus(
            library: libraries.name(of: library), epoch: entry.gate.epoch ?? "",
            cursor: entry.gate.cursor == .beforeFirst ? nil : entry.gate.cursor, phase: entry.phase,
            lost: entry.gate.lost.ranges, isUnknowable: isUnknowable(library))
    }
}
