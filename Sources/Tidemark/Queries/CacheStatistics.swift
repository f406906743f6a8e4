import TidemarkModel

/// What a cache contains, and what it has done since it was opened. ``counts`` and ``ignoredKinds`` go back to when its
/// file was made.
public struct CacheStatistics: Sendable {
    /// The number of entities in memory and on the disk, each counted once.
    public var entityCount: Int64
    /// The number of stored queries.
    public var queryCount: Int
    /// The number of observers, watchers of documents included.
    public var observerCount: Int
    /// The number of pending edits.
    public var pendingCount: Int
    /// The bytes that entities take in memory.
    public var memoryByteCount: Int
    /// The limit of ``memoryByteCount``.
    public var memoryByteCountMax: Int
    /// The size of the database with its logs, in bytes; 0 for a journal in memory.
    public var diskByteCount: Int64
    /// The bytes of the database that hold nothing. They are used again, or returned to the disk.
    public var freeDiskByteCount: Int64
    /// The bytes of replaced and removed entities that the journal still has to merge away; 0 for a database of rows.
    public var mergeDebtByteCount: Int64
    /// How many entities were read from the journal by key, a second, over the last ten seconds.
    public var readsPerSecond: Int64
    /// How many entities were written to the journal or removed from it, a second, over the last ten seconds.
    public var writesPerSecond: Int64
    /// The bytes of the entities that were written to the journal.
    public var storedByteCount: Int64
    /// The bytes that the journal wrote to its log, for entities and everything else.
    public var logByteCount: Int64
    /// The number of reads of entities and queries that returned something.
    public var hitCount: Int64
    /// The number of reads of entities and queries that returned nothing, by reason.
    public var missCounts: [EntityRead.Miss: Int64]
    /// The number of entities that were evicted from memory or from both tiers, or reduced.
    public var evictionCount: Int
    /// The number of notifications that observers took.
    public var notificationCount: Int64
    /// The status of every library, in the order in which the cache first saw them.
    public var libraries: [LibraryStatus]
    /// The failure of the last flush; nil while the journal works.
    public var storageError: StorageError?
    /// The counts of all lines and events.
    public var counts: EventCounts
    /// The number of events that were ignored because their kind is unknown, by kind.
    public var ignoredKinds: [ByteString: Int64]

    package init(
        entityCount: Int64, queryCount: Int, observerCount: Int, pendingCount: Int, memoryByteCount: Int,
        memoryByteCountMax: Int, diskByteCount: Int64, freeDiskByteCount: Int64, mergeDebtByteCount: Int64,
        readsPerSecond: Int64, writesPerSecond: Int64, storedByteCount: Int64, logByteCount: Int64, hitCount: Int64,
        missCounts: [EntityRead.Miss: Int64], evictionCount: Int, notificationCount: Int64, libraries: [LibraryStatus],
        storageError: StorageError?, counts: EventCounts, ignoredKinds: [ByteString: Int64]
    ) {
        self.entityCount = entityCount
        self.queryCount = queryCount
        self.observerCount = observerCount
        self.pendingCount = pendingCount
        self.memoryByteCount = memoryByteCount
        self.memoryByteCountMax = memoryByteCountMax
        self.diskByteCount = diskByteCount
        self.freeDiskByteCount = freeDiskByteCount
        self.mergeDebtByteCount = mergeDebtByteCount
        self.readsPerSecond = readsPerSecond
        self.writesPerSecond = writesPerSecond
        self.storedByteCount = storedByteCount
        self.logByteCount = logByteCount
        self.hitCount = hitCount
        self.missCounts = missCounts
        self.evictionCount = evictionCount
        self.notificationCount = notificationCount
        self.libraries = libraries
        self.storageError = storageError
        self.counts = counts
        self.ignoredKinds = ignoredKinds
    }
}
