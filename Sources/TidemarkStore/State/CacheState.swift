import TidemarkModel

/// The whole state of a cache as one value: it applies events, and returns changed entities and cursors.
///
/// Pure and synchronous: it reads no clock and never waits. The actor `SyncCache` owns it.
///
/// - Note: The entities that an event touches must be in memory before it is applied. ``keysToLoad(for:)`` returns
///   those that are not.
package struct CacheState: ~Copyable {
    private let place = StablePlace()
    /// The configuration that the cache was opened with.
    package let configuration: CacheStateConfiguration
    /// The cascade rules of the configuration's policy.
    let cascades: CascadeRules

    /// The entities in memory.
    package internal(set) var entities: EntityStore
    /// The tombstones of deleted entities.
    package internal(set) var tombstones: TombstoneStore
    /// The event totals since the database was created.
    package internal(set) var counts: EventCounts
    /// The counts of single inputs; empty unless somebody counts one.
    package var tallies = InputTallies()
    /// The totals of ignored event kinds since the database was created, by name: at most `ignoredKindCountMax` names,
    /// and one for the rest.
    package internal(set) var ignoredKinds: [ByteString: Int64]

    /// The libraries with their gates; `libraryCountMax` bounds them.
    var libraries: Libraries
    /// The types with the configuration's rules for them; `typeCountMax` bounds them.
    var types: ResourceTypes
    /// How often sequences were declared lost. A change means that there is more to heal.
    package internal(set) var lossCount: Int64 = 0
    /// The changes to the quarantine since the last flush; the flush policy bounds them.
    var quarantine = QuarantineChanges()
    /// The entities that only the journal has, and the keys evicted from both tiers. `evictedKeyCountMax` and the flush
    /// policy bound it.
    var residency: Residency
    /// The stored queries with their lists; `queryCountMax` bounds them.
    var queries: QueryIndex
    /// The pending layers; `layerCountMax` and `layerByteCountMax` bound them.
    var layers = LayerStack()
    /// The keys of recent writes; maintained while ``isAwaitingAnswers``.
    var recentWrites = RecentWrites()
    /// The fields of recent writes; maintained while ``isAwaitingAnswers``.
    var fieldWrites = FieldWrites()
    /// Everything that became stale, was cleared, or was changed by a request while requests to servers were open.
    var meanwhile = MeanwhileLog()
    /// The number of the last request to a server, where a response that nobody requested counts as one.
    var questionCount: Int64 = 0
    /// How many fetches are under way. Their responses may be older than writes made in the meantime.
    var fetchCount = 0
    /// The types whose changes are logged.
    var followedTypes = FollowedTypes()
    /// The types of which an entity was evicted from both tiers since the opening; the types bound them.
    var leftTypes: Set<LibraryType> = []
    /// True while the events of a unit of several lines are applied, which observers are told of together.
    var isUnitShared = false
    /// The rows that the end of a state may remove, within the step that may end one.
    var sweptRows: [SweptRow]?
    /// True if changes of the libraries' phases are logged.
    package var hasLibraryObservers = false
    /// The epoch of the log that is followed now, if events can vanish from it without a trace; otherwise nil.
    var tracelessEpoch: ByteString?
    /// The events that observers of the log are yet to be notified of; ``EventLog`` bounds them.
    var eventLog = EventLog()
    /// The last events with their content; `keptEventByteCountMax` bounds them.
    package internal(set) var keptEvents: KeptEvents
    /// The evictions since the last ``drainEvictionLog()``; nil while they are not logged.
    var evictionLog: EvictionLog?
    /// True if something other than counts changed since the last flush.
    package internal(set) var isUnwritten = false
    /// True if lines were counted since the last flush. Counts are written with the next change, or at the end.
    package internal(set) var areCountsUnwritten = false

    /// Creates the state of a cache that was just opened.
    ///
    /// - Parameters:
    ///   - configuration: The fixed configuration.
    ///   - recovered: What the journal knows.
    ///   - seed: A random number for the entity table.
    package init(configuration: CacheStateConfiguration, recovered: RecoveredState, seed: UInt64) {
        self.configuration = configuration
        cascades = CascadeRules(configuration.policy, aliases: configuration.typeAliases)
        let limits = configuration.limits
        entities = EntityStore(seed: seed, lastRow: recovered.lastRow)
        tombstones = TombstoneStore(limits: limits, recovered: recovered.tombstones)
        residency = Residency(recovered: recovered, limits: limits)
        counts = recovered.counts
        keptEvents = KeptEvents(byteCountMax: configuration.keptEventByteCountMax)
        ignoredKinds = recovered.ignoredKinds
        libraries = Libraries(recovered: recovered.libraries, limits: limits)
        types = ResourceTypes(
            recovered: recovered.types, aliases: configuration.typeAliases, countMax: limits.typeCountMax)
        queries = QueryIndex(
            limits: limits, keptListByteCountMax: configuration.keptListByteCountMax,
            lastNumber: recovered.lastQuery)
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

    /// How many entities memory and the journal have together.
    package var entityCount: Int64 { libraries.sum(\.entityCount) }

    /// How many entities only the journal has.
    package var absentCount: Int64 { residency.absentCount }

    /// How many events from inputs are held. Their lines are in no bin yet.
    package var heldCount: Int {
        libraries.indexes.reduce(0) { sum, library in
            sum + libraries[library].gate.waiting.count { $0.source.isCounted }
        }
    }

    /// Returns the first line of an input that is held; nil if none is. Lines from it on may not all be applied yet.
    package func firstHeldLine(of input: InputID) -> Int64? {
        var first: Int64?
        for library in libraries.watched {
            for event in libraries[library].gate.waiting {
                if case .line(input, let line) = event.source { first = min(first ?? line, line) }
            }
        }
        return first
    }

    /// The status of every library, by index.
    package var statuses: [LibraryStatus] {
        libraries.indexes.map { status(of: $0) }
    }

    /// Returns the status of a library by its name; nil if nothing is known of the library.
    package func status(named name: ByteString) -> LibraryStatus? {
        libraries.index(of: name).map { status(of: $0) }
    }

    /// Returns the status of a library.
    package func status(of library: LibraryIndex) -> LibraryStatus {
        let entry = libraries[library]
        return LibraryStatus(
            library: libraries.name(of: library), epoch: entry.gate.epoch ?? "",
            cursor: entry.gate.cursor == .beforeFirst ? nil : entry.gate.cursor, phase: entry.phase,
            lost: entry.gate.lost.ranges, isUnknowable: isUnknowable(library))
    }
}
