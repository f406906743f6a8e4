import Tidemark
import TidemarkModel

extension SyncCache {
    /// Opens a cache over one SQLite file, which is created when it is missing.
    ///
    /// ```swift
    /// let cache = try await SyncCache.open(path: "cache.db")
    /// try await cache.ingest(Array(#"{"ResourceChanged":{"resource_type":"file","resource":{"id":"1"}}}"#.utf8))
    /// let answer = try await cache.entity(EntityKey(type: "file", id: "1"))
    /// try await cache.close()
    /// ```
    ///
    /// - Parameters:
    ///   - upstream: The source of missing events; without one they are lost after the reorder window.
    ///   - queryUpstream: The source of queries that the cache cannot answer; without one such queries are errors.
    ///   - mutationUpstream: The server that performs the requests of pending edits; without one nothing is sent.
    ///   - clock: The clock of ages and pauses; tests pass one of their own.
    /// - Throws: ``Tidemark/StorageError``; see ``SQLiteJournal/open(path:)``.
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
