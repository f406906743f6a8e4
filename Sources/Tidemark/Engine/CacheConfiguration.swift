import Logging
import TidemarkModel

/// How a cache is set up. Every default works.
public struct CacheConfiguration: Sendable {
    /// What is accepted and held; see ``TidemarkModel/Limits``.
    public var limits = Limits()
    /// Events that name no library go here: `""`.
    public var defaultLibrary: ByteString = ""
    /// Types that go by another name; both as on the wire. None.
    public var typeAliases: [ByteString: ByteString] = [:]
    /// How long a gap waits for late events, in milliseconds: 50.
    public var reorderWindow: Int64 = 50
    /// What entities may take in memory, in bytes: 256 MiB. Those used least recently are then read from the
    /// journal again. What is not written yet always stays.
    public var memoryByteCountMax = 256 << 20
    /// Types whose entities are on the disk only, as on the wire: they leave memory as soon as they are written, and are read again
    /// each time. None. What is observed or has a pending edit stays.
    public var memoryExcludedTypes: Set<ByteString> = []
    /// Types whose entities are in memory only, as on the wire: they are gone after a restart, with their queries. None. No
    /// type may be in both sets, by whatever alias: that is a programmer's error.
    public var diskExcludedTypes: Set<ByteString> = []
    /// How room is made when a limit is reached.
    public var eviction = EvictionPolicy()
    /// How long an upstream may take to answer a query, in milliseconds: 30,000.
    public var fetchTimeout: Int64 = 30_000
    /// Queries that an upstream is asked for at once: 1,000; one more is refused.
    public var fetchCountMax = 1_000
    /// How old what is read may be, and what is deleted along, by type and field: nothing expires. `CachePolicy(graphQL:)` of the
    /// module `TidemarkGraphQL` reads one from a schema.
    public var policy = CachePolicy()
    /// Fields whose values the journal keeps in order: none. They are kept once they were declared, also by writers that name none.
    public var fieldIndexes: [FieldIndex] = []
    /// Indexes that go; one that is not there is passed over.
    public var droppedFieldIndexes: [FieldIndex] = []
    /// Told while an index is built over entities that are there already, on the journal's queue; nil: nobody.
    public var onIndexProgress: (@Sendable (FieldIndexProgress) -> Void)?
    public var flush = FlushPolicy()
    /// How long nothing must have been written before memory that only writing needs is given back, in milliseconds; nil, the
    /// default: only ``SyncCache/releaseSpareMemory()`` does that.
    public var spareMemoryInterval: Int64?
    public var logger = Logger(label: "tidemark")
    /// Where the cache's own tasks run: timers, flushes, questions. nil: where tasks run by default. Who wants all of a cache on
    /// one executor also calls it from tasks that prefer that one.
    public var taskExecutor: (any TaskExecutor)?
    /// 64 random bits: seeds of tables, parts of pauses. The system's; replaced where a run has to be the same each time.
    package var random: @Sendable () -> UInt64 = { UInt64.random(in: .min ... .max) }
    /// Nanoseconds of a clock that only goes forward, by which steps of an eviction end.
    package var stepClock: @Sendable () -> Int64 = { SliceBudget.elapsed() }

    public init() {}

    /// Types that are kept out of memory and of the disk, under their own names.
    public var excludedTwice: Set<ByteString> {
        func resolved(_ types: Set<ByteString>) -> Set<ByteString> { Set(types.map { typeAliases[$0] ?? $0 }) }
        return resolved(memoryExcludedTypes).intersection(resolved(diskExcludedTypes))
    }

    /// Evicted keys take 8 bytes each on the disk, and at most an eighth of what it may take.
    var boundedEvictedKeyCountMax: Int {
        guard let byteCountMax = eviction.diskByteCountMax else { return limits.evictedKeyCountMax }
        return min(limits.evictedKeyCountMax, Int(clamping: max(0, byteCountMax) / 64))
    }

    /// As much as may be unwritten: that stays in memory, so it is half of the memory at most, and at least 1 MiB.
    ///
    /// Under a limit of the disk it is a sixteenth of that, and at least 128 KiB; and so many changes that a sixteenth of the limit is
    /// enough when each is on a page of its own, and at least 256. The log that a commit writes is beside the database.
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

    /// A kind of source that names things its own way.
    public enum Profile: String, Sendable, CaseIterable {
        /// Deletes and bulk events name the model, `entry`, changes the resource, `file`.
        case spacedrive
    }

    /// Sets what a kind of source needs.
    public mutating func apply(_ profile: Profile) {
        switch profile {
        case .spacedrive: typeAliases["entry"] = "file"
        }
    }
}

/// When changes go to the journal.
///
/// - Source: docs/decisions/0004-flush-policy.md.
public struct FlushPolicy: Sendable {
    /// How long a change may wait before a flush begins, in milliseconds: 20.
    public var interval: Int64 = 20
    /// The same while unread input waits, in milliseconds: 20. More work for one flush is on its way then.
    public var busyInterval: Int64 = 20
    /// Changes that begin a flush at once: 8,192.
    public var startCount = 8_192
    /// Changes at which reading stops until a flush is done: 32,768. Bounds how long an acknowledgement takes.
    public var changeCountMax = 32_768
    /// Payload bytes at which reading stops until a flush is done: 64 MiB.
    public var byteCountMax = 64 << 20
    /// Attempts before ``SyncCache/flush()`` reports a failing disk: 5. Writing goes on being tried.
    public var attemptCountMax = 5

    public init() {}

    /// For a host that watches changes as they come: small flushes, each over before anybody notices.
    ///
    /// A commit keeps a processor busy, and an event may have to wait for the system to take it away.
    /// - Source: docs/decisions/0004-flush-policy.md.
    public static var interactive: FlushPolicy {
        var policy = FlushPolicy()
        policy.interval = 4
        policy.busyInterval = 4
        return policy
    }

    /// For long streams of which nobody waits for an acknowledgement: larger flushes write an entity that changes
    /// often fewer times.
    public static var bulk: FlushPolicy {
        var policy = FlushPolicy()
        policy.interval = 200
        policy.busyInterval = 1_000
        policy.startCount = 262_144
        policy.changeCountMax = 262_144
        policy.byteCountMax = 128 << 20
        return policy
    }
}
