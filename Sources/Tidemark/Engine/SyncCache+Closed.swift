/// The one error of a cache that was closed, or is being closed: from reads too, which memory could still answer in part.
extension SyncCache {
    /// For calls that throw ``CacheError``.
    static let closedRefusal = CacheError(.storageFailed, "the cache was closed: open it again")

    func checkOpen() throws(CacheError) {
        if isClosed { throw SyncCache.closedRefusal }
    }

    /// For calls that throw ``StorageError``.
    func checkStorageOpen() throws(StorageError) {
        if isClosed { throw StorageError(.closed, "the cache was closed", advice: "open it again") }
    }
}
