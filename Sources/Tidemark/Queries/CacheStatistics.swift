import TidemarkModel

/// The contents of a cache and its work since it was opened. Lines and events are counted since its file was made.
public struct CacheStatistics: Sendable {
    public var entityCount: Int64
    public var queryCount: Int
    public var observerCount: Int
    public var pendingCount: Int
    public var memoryByteCount: Int
    /// The limit of `memoryByteCount`.
    public var memoryByteCountMax: Int
    public var diskByteCount: Int64
    /// The bytes of the database that hold nothing: they are used again, or given back to the disk.
    public var freeDiskByteCount: Int64
    /// The bytes of replaced and removed entities that the journal still has to merge away; 0 for a database of rows.
    public var mergeDebtByteCount: Int64
    /// The entities that were read by key from the journal, a second, over the last ten seconds.
    public var readsPerSecond: Int64
    /// The entities that were written to the journal or removed from it, a second, over the last ten seconds.
    public var writesPerSecond: Int64
    /// The bytes of the entities that were written, and those that the journal wrote to its log for everything.
    public var storedByteCount: Int64
    public var logByteCount: Int64
    public var hitCount: Int64
    public var missCounts: [EntityRead.Miss: Int64]
    public var evictionCount: Int
    public var notificationCount: Int64
    public var libraries: [LibraryStatus]
    /// The error of the last flush; nil while the journal keeps up.
    public var storageError: StorageError?
    public var counts: EventCounts
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
