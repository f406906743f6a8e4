import Logging
import TidemarkModel

/// The configuration of a cache. Every default is usable. Durations count in whole milliseconds.
public struct CacheConfiguration: Sendable {
    /// The limits of what the cache accepts and holds; see ``TidemarkModel/Limits``.
    public var limits = Limits()
    /// The library of events that name none: `""`.
    public var defaultLibrary: ByteString = ""
    /// The types that have another name in the cache, by alias; both names as on the wire. Default: none.
    public var typeAliases: [ByteString: ByteString] = [:]
    /// The time that a gap waits for late events: 50 ms.
    public var reorderWindow = Duration.milliseconds(50)
    /// The limit of the entities in memory, in bytes: 256 MiB. Above it the least recently used entities are evicted
    /// from memory; they are loaded from the journal again when needed. Unwritten changes always stay.
    public var memoryByteCountMax = 256 << 20
    /// The bytes of events that are kept in memory with their content, for people who look for the event that changed
    /// an entity: 0, none. `tidemark serve` keeps 8 MiB. They are not counted in `memoryByteCountMax`.
    public var keptEventByteCountMax = 0
    /// The types, as on the wire, whose entities are on the disk only: they are evicted from memory as soon as they are
    /// written, and are loaded for each read. Default: none. An entity that is observed or has a pending edit stays in
    /// memory.
    public var memoryExcludedTypes: Set<ByteString> = []
    /// The types, as on the wire, whose entities are in memory only: they are lost at a restart, with their queries.
    /// Default: none. A type must not be in both sets, under any alias: that is a programmer's error.
    public var diskExcludedTypes: Set<ByteString> = []
    /// The types, as on the wire, whose events merge into the entity where they would replace it. Default: none.
    public var mergedTypes: Set<ByteString> = []
    /// The eviction of entities when a limit is reached.
    public var eviction = EvictionPolicy()
    /// The time that an upstream may take to answer a query: 30 s.
    public var fetchTimeout = Duration.seconds(30)
    /// The number of queries that an upstream is asked for at once: 1,000; a further one is refused.
    public var fetchCountMax = 1_000
    /// The age limits of types and fields, and the cascades of deletes. Default: nothing expires.
    /// `CachePolicy(graphQL:)` of the module `TidemarkGraphQL` reads a policy from a schema.
    public var policy = CachePolicy()
    /// The fields whose values the journal keeps in order. Default: none. An index that was declared once is kept, also
    /// by writers that name none.
    public var fieldIndexes: [FieldIndex] = []
    /// The indexes to remove; one that does not exist is ignored.
    public var droppedFieldIndexes: [FieldIndex] = []
    /// Called on the journal's queue while an index is built over entities that exist already; nil: not called.
    public var onIndexProgress: (@Sendable (FieldIndexProgress) -> Void)?
    public var flush = FlushPolicy()
    /// The time without a write after which memory that only writing needs is freed; nil, the default: only
    /// ``SyncCache/releaseSpareMemory()`` frees it.
    public var spareMemoryInterval: Duration?
    public var logger = Logger(label: "tidemark")
    /// The executor of the cache's own tasks: timers, flushes, requests. nil: the default executor. To run all of a
    /// cache on one executor, also call the cache from tasks that prefer that executor.
    public var taskExecutor: (any TaskExecutor)?
    /// A source of 64 random bits, for seeds of tables and parts of pauses. The system's; replaced when a run has to be
    /// the same each time.
    package var random: @Sendable () -> UInt64 = { UInt64.random(in: .min ... .max) }
    /// The nanoseconds of a clock that only goes forward; it bounds the steps of an eviction.
    package var stepClock: @Sendable () -> Int64 = { SliceBudget.elapsed() }

    public init() {}

    /// The types that are excluded from memory and from the disk, under their own names.
    public var typesExcludedFromBothTiers: Set<ByteString> {
        func resolved(_ types: Set<ByteString>) -> Set<ByteString> { Set(types.map { typeAliases[$0] ?? $0 }) }
        return resolved(memoryExcludedTypes).intersection(resolved(diskExcludedTypes))
    }

    /// The limit of evicted keys: they take 8 bytes each on the disk, and at most an eighth of the disk limit.
    var boundedEvictedKeyCountMax: Int {
        guard let byteCountMax = eviction.diskByteCountMax else { return limits.evictedKeyCountMax }
        return min(limits.evictedKeyCountMax, Int(clamping: max(0, byteCountMax) / 64))
    }

    /// The flush policy within the memory limit: unwritten changes stay in memory, so they take at most half of it, and
    /// at least 1 MiB is allowed.
    ///
    /// Under a disk limit they take at most a sixteenth of that limit, and at least 128 KiB is allowed. The number of
    /// changes is limited so that a sixteenth of the limit is enough when each change is on a page of its own; at least
    /// 256 are allowed. The log that a commit writes takes space beside the database.
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

    /// A kind of source with names of its own.
    public enum Profile: String, Sendable, CaseIterable {
        /// Deletes and bulk events name the model, `entry`; changes name the resource, `file`.
        case spacedrive
    }

    /// Adds the settings that a kind of source needs.
    public mutating func apply(_ profile: Profile) {
        switch profile {
        case .spacedrive: typeAliases["entry"] = "file"
        }
    }
}

/// The rules for when changes are written to the journal.
///
/// - Source: docs/decisions/0004-flush-policy.md.
public struct FlushPolicy: Sendable {
    /// The time that a change may wait before a flush begins: 20 ms.
    public var interval = Duration.milliseconds(20)
    /// The same time while unread input waits: 20 ms. More changes for one flush are on their way then.
    public var busyInterval = Duration.milliseconds(20)
    /// The number of changes that begins a flush at once: 8,192.
    public var startCount = 8_192
    /// The number of changes at which reading stops until a flush is done: 32,768. It bounds the time until an
    /// acknowledgement.
    public var changeCountMax = 32_768
    /// The payload bytes at which reading stops until a flush is done: 64 MiB.
    public var byteCountMax = 64 << 20
    /// The number of attempts before ``SyncCache/flush()`` reports a failing disk: 5. Attempts to write continue after
    /// that.
    public var attemptCountMax = 5

    public init() {}

    /// A policy for a host that shows changes as they come: small flushes, each too short to be noticed.
    ///
    /// A commit keeps a processor busy, and an event may have to wait until the system interrupts it.
    /// - Source: docs/decisions/0004-flush-policy.md.
    public static var interactive: FlushPolicy {
        var policy = FlushPolicy()
        policy.interval = .milliseconds(4)
        policy.busyInterval = .milliseconds(4)
        return policy
    }

    /// A policy for long streams without a reader that waits for acknowledgements: larger flushes write an entity that
    /// changes often fewer times.
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
