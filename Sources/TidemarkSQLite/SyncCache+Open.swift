import Tidemark
import TidemarkModel

extension SyncCache {
    /// Opens a cache that is stored in one SQLite file, which is created when it is missing.
    ///
    /// ```swift
    /// let cache = try await SyncCache.open(path: "cache.db")
    /// try await cache.ingest(Array(#"{"ResourceChanged":{"resource_type":"file","resource":{"id":"1"}}}"#.utf8))
    /// let answer = try await cache.entity(EntityKey(type: "file", id: "1"))
    /// print(answer)
    /// try await cache.close()
    /// ```
    ///
    /// - Parameters:
    ///   - path: The path of the data file, absolute or relative to the working directory.
    ///   - configuration: The settings of the cache.
    ///   - upstream: The source of missing events; nil to record them as lost after the reorder window.
    ///   - queryUpstream: The source of queries that the cache cannot answer; nil to make such queries errors.
    ///   - mutationUpstream: The server that performs the requests of pending edits; nil to send none.
    ///   - clock: The clock for ages and pauses. Tests pass one of their own.
    /// - Throws: ``/Tidemark/StorageError``, as ``SQLiteJournal/open(path:)`` does.
    /// - Complexity: Independent of the number of stored entities.
    public static func open(
        path: String, configuration: CacheConfiguration = CacheConfiguration(), upstream: (any Upstream)? = nil,
        queryUpstream: (any QueryUpstream)? = nil, mutationUpstream: (any MutationUpstream)? = nil,
        clock: any CacheClock = SystemClock()
    ) async throws(StorageError) -> SyncCache {
        try await open(
            configuration: configuration, journal: try await SQLiteJournal.open(path: path), upstream: upstream,
            queryUpstream: queryUpstream, mutationUpstream: mutationUpstream, clock: clock)
    }
}
