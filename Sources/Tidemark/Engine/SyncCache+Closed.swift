/// The error of a cache that is closed or closing. Reads throw it too, although memory could still answer some of them.
extension SyncCache {
    /// The error of a closed cache, for calls that throw ``CacheError``.
    static let closedRefusal = CacheError(.storageFailed, "the cache was closed: open it again")

    var isClosed: Bool { !lifeCycle.isOpen }

    func checkOpen() throws(CacheError) {
        if isClosed { throw SyncCache.closedRefusal }
    }

    /// Throws the error of a closed cache, for calls that throw ``StorageError``.
    func checkStorageOpen() throws(StorageError) {
        if isClosed { throw StorageError(.closed, "the cache was closed", advice: "open it again") }
    }
}
