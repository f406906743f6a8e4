import Logging
import TidemarkModel

/// The settings of a cache. Every default is usable.
///
/// ```swift
/// var configuration = CacheConfiguration()
/// configuration.memoryByteCountMax = 64 << 20
/// configuration.eviction.entityCountMax = 100_000
/// configuration.policy = CachePolicy([CachePolicy.Rules("photo", maxAge: 3_600)])
/// configuration.flush = .interactive
/// ```
///
/// Durations are rounded down to whole milliseconds.
public struct CacheConfiguration: Sendable {
    /// The bounds of what the cache accepts and holds; see ``/TidemarkModel/Limits``.
    public var limits = Limits()
    /// The library of events and calls that name none. Default: `""`.
    public var defaultLibrary: ByteString = ""
    /// Other names for resource types, with the alias as the key and the type's own name as the value, both as on the
    /// wire. The cache stores an entity under its type's own name. Default: none.
    public var typeAliases: [ByteString: ByteString] = [:]
    /// How long a gap waits for late events before the cache asks the upstream for them or, without an upstream,
    /// declares them lost. Default: 50 ms.
    public var reorderWindow = Duration.milliseconds(50)
    /// The largest number of bytes that entities take in memory. Default: 256 MiB; see ``mobile`` for phones and
    /// watches.
    ///
    /// Above it the least recently used entities are evicted from memory; the journal still has them, and a read loads
    /// them again. Unwritten, observed and pending entities stay.
    public var memoryByteCountMax = CacheConfiguration.standardMemoryByteCountMax
    /// How many bytes of recent events to keep in memory with their content, for people who look for the event that
    /// changed an entity. Default: 0, none; `tidemark serve` keeps 8 MiB. These bytes do not count toward
    /// ``memoryByteCountMax``.
    public var keptEventByteCountMax = 0
    /// The types, as on the wire, whose entities are kept on the disk only. Default: none.
    ///
    /// Such an entity is evicted from memory as soon as it is written, and is loaded for each read. It stays in memory
    /// while it is observed or has a pending edit.
    public var memoryExcludedTypes: Set<ByteString> = []
    /// The types, as on the wire, whose entities are kept in memory only. A restart loses them and their queries.
    /// Default: none.
    ///
    /// A type must not be in ``memoryExcludedTypes`` too, under any alias: opening a cache with such a configuration
    /// traps.
    public var diskExcludedTypes: Set<ByteString> = []
    /// The types, as on the wire, whose events are merged into the stored entity instead of replacing it. Default:
    /// none.
    public var mergedTypes: Set<ByteString> = []
    /// The limits of both tiers, and what to keep when entities are evicted.
    public var eviction = EvictionPolicy()
    /// How long an upstream may take to respond to a query. Default: 30 s.
    public var fetchTimeout = Duration.seconds(30)
    /// The largest number of fetches under way at a time; a further one is refused. Default: 1,000.
    public var fetchCountMax = 1_000
    /// The age limits of types and fields, and the cascades of deletes. Default: nothing expires, and no delete
    /// cascades.
    ///
    /// `CachePolicy(graphQL:)` of the module `TidemarkGraphQLLanguage` reads a policy from a schema.
    public var policy = CachePolicy()
    /// The indexes to add to the data file. Default: none.
    ///
    /// The file keeps an index until it is dropped, also when a later writer does not name it.
    public var fieldIndexes: [FieldIndex] = []
    /// The indexes to remove from the data file; one that does not exist is ignored. Default: none.
    public var droppedFieldIndexes: [FieldIndex] = []
    /// Called on the journal's queue while an index is built over entities that exist already. Default: nil, not
    /// called.
    public var onIndexProgress: (@Sendable (FieldIndexProgress) -> Void)?
    /// When changes are written to the journal.
    public var flush = FlushPolicy()
    /// How long after the last write to free memory that only writing needs. Default: nil, only
    /// ``SyncCache/releaseSpareMemory()`` frees it.
    public var spareMemoryInterval: Duration?
    /// The logger for warnings and failures. Default: one with the label `tidemark`.
    public var logger = Logger(label: "tidemark")
    /// The executor of the cache's own tasks: timers, flushes and requests. Default: nil, the default executor.
    ///
    /// To run all of a cache on one executor, also call the cache from tasks that prefer that executor.
    public var taskExecutor: (any TaskExecutor)?
    /// A source of 64 random bits, for seeds of tables and for pauses. Default: the system's; a run that must be
    /// repeatable replaces it.
    package var random: @Sendable () -> UInt64 = { UInt64.random(in: .min ... .max) }
    /// Returns the nanoseconds of a monotonic clock, which bounds the steps of an eviction.
    package var stepClock: @Sendable () -> Int64 = { SliceBudget.elapsed() }

    /// Makes a configuration with the defaults.
    public init() {}

    /// The defaults of iOS, tvOS and visionOS, on every platform: 32 MiB of entities in memory.
    ///
    /// These systems end apps that take too much memory, and take the memory of suspended apps first. watchOS has 8 MiB
    /// by default. All other bounds follow: unwritten changes take at most half of it, kept lists a sixteenth.
    public static var mobile: CacheConfiguration {
        var configuration = CacheConfiguration()
        configuration.memoryByteCountMax = mobileMemoryByteCountMax
        return configuration
    }

    private static let mobileMemoryByteCountMax = 32 << 20

    private static var standardMemoryByteCountMax: Int {
        #if os(iOS) || os(tvOS) || os(visionOS)
            mobileMemoryByteCountMax
        #elseif os(watchOS)
            8 << 20
        #else
            256 << 20
        #endif
    }

    /// The types, under their own names, that are excluded both from memory and from the disk. Must be empty when a
    /// cache is opened.
    public var typesExcludedFromBothTiers: Set<ByteString> {
        func resolved(_ types: Set<ByteString>) -> Set<ByteString> { Set(types.map { typeAliases[$0] ?? $0 }) }
        return resolved(memoryExcludedTypes).intersection(resolved(diskExcludedTypes))
    }

    /// How many evicted keys to remember. Each takes 8 bytes on the disk, and all together at most an eighth of the
    /// disk limit.
    var boundedEvictedKeyCountMax: Int {
        guard let byteCountMax = eviction.diskByteCountMax else { return limits.evictedKeyCountMax }
        return min(limits.evictedKeyCountMax, Int(clamping: max(0, byteCountMax) / 64))
    }

    /// The flush policy, adapted to the limits of memory and disk.
    ///
    /// Unwritten changes stay in memory, so they take at most half of the memory limit, or 1 MiB where that is more.
    ///
    /// Under a disk limit they take at most a sixteenth of it, or 128 KiB where that is more. The number of changes is
    /// bounded so that a sixteenth of the limit suffices even when each change is on a page of its own; at least 256
    /// are allowed. The log that a commit writes takes space beside the database.
    var boundedFlush: FlushPolicy {
        var bounded = flush
        bounded.byteCountMax = min(flush.byteCountMax, max(1 << 20, memoryByteCountMax / 2))
        guard let diskByteCountMax = eviction.diskByteCountMax else { return bounded }
        let share = Int(clamping: diskByteCountMax) / 16
        bounded.byteCountMax = min(bounded.byteCountMax, max(128 << 10, share))
        bounded.changeCountMax = min(flush.changeCountMax, max(256, share / (8 << 10)))
        bounded.startCount = min(flush.startCount, bounded.changeCountMax)
        return bounded
    }

    /// A known kind of event source that uses names of its own.
    public enum Profile: String, Sendable, CaseIterable {
        /// Spacedrive: deletes and bulk events name the model, `entry`, while changes name the resource, `file`.
        case spacedrive
    }

    /// Adds the settings that a known kind of event source needs, such as aliases of types.
    public mutating func apply(_ profile: Profile) {
        switch profile {
        case .spacedrive: typeAliases["entry"] = "file"
        }
    }
}

/// When changes are written to the journal.
///
/// ```swift
/// var configuration = CacheConfiguration()
/// configuration.flush = .bulk
/// configuration.flush.attemptCountMax = 3
/// ```
///
/// - Source: docs/decisions/0004-flush-policy.md.
public struct FlushPolicy: Sendable {
    /// How long a change may wait before a flush begins. Default: 20 ms.
    public var interval = Duration.milliseconds(20)
    /// How long a change may wait while unread input is waiting; a longer wait collects more changes for one flush.
    /// Default: 20 ms.
    public var busyInterval = Duration.milliseconds(20)
    /// The number of unwritten changes that begins a flush at once. Default: 8,192.
    public var startCount = 8_192
    /// The number of unwritten changes at which reading of input stops until a flush is done. Default: 32,768. It
    /// bounds the time until an acknowledgement.
    public var changeCountMax = 32_768
    /// The number of unwritten payload bytes at which reading of input stops until a flush is done. Default: 64 MiB.
    public var byteCountMax = 64 << 20
    /// How many attempts to write may fail in a row before ``SyncCache/flush()`` throws. Default: 5. The cache keeps
    /// trying after that.
    public var attemptCountMax = 5

    /// Makes a policy with the defaults.
    public init() {}

    /// Small flushes, each too short to be noticed, for a program that shows changes as they arrive.
    ///
    /// A commit keeps a processor busy; an event that arrives meanwhile may have to wait until the system interrupts
    /// it.
    ///
    /// - Source: docs/decisions/0004-flush-policy.md.
    public static var interactive: FlushPolicy {
        var policy = FlushPolicy()
        policy.interval = .milliseconds(4)
        policy.busyInterval = .milliseconds(4)
        return policy
    }

    /// Large flushes, for long streams where nobody waits for acknowledgements. An entity that changes often is written
    /// fewer times.
    public static var bulk: FlushPolicy {
        var policy = FlushPolicy()
        policy.interval = .milliseconds(200)
        policy.busyInterval = .seconds(1)
        policy.startCount = 262_144
        policy.changeCountMax = 262_144
        policy.byteCountMax = 128 << 20
        return policy
    }
}
