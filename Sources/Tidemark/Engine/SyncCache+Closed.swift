/// The errors of a cache that is closed, closing or suspended. A closed cache refuses reads too, although memory could
/// still answer some of them; a suspended one refuses changes.
extension SyncCache {
    /// The error of a closed cache, for calls that throw ``CacheError``.
    static let closedRefusal = CacheError(.storageFailed, "the cache was closed: open it again")

    /// The error of a suspended cache, for calls that would change something or need the file.
    static let suspendedRefusal = StorageError(
        .suspended, "the cache is suspended: nothing changed", advice: "resume it first")

    var isClosed: Bool { lifeCycle.isClosed }

    /// True if the cache is open and not suspended, nor about to be: its own work goes on.
    var isActive: Bool { lifeCycle.isOpen }

    func checkOpen() throws(CacheError) {
        if isClosed { throw SyncCache.closedRefusal }
    }

    /// Throws unless changes are accepted.
    func checkChangeable() throws(CacheError) {
        try checkOpen()
        if !isActive { throw CacheError(SyncCache.suspendedRefusal) }
    }

    /// Throws unless changes are accepted, for calls that throw ``StorageError``.
    func checkStorageChangeable() throws(StorageError) {
        try checkStorageOpen()
        if !isActive { throw SyncCache.suspendedRefusal }
    }

    /// Throws the error of a closed cache, for calls that throw ``StorageError``.
    func checkStorageOpen() throws(StorageError) {
        if isClosed { throw StorageError(.closed, "the cache was closed", advice: "open it again") }
    }
}
