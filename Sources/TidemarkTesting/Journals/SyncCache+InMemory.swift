import Tidemark
import TidemarkModel

extension SyncCache {
    /// Opens a cache without a file, for tests. Nothing outlives it.
    ///
    /// ```swift
    /// let clock = ManualClock()
    /// let cache = try await SyncCache.inMemory(clock: clock)
    /// try await cache.ingest(Array(EventLine.change(#"{"id":"1"}"#, type: "photo").utf8))
    /// print(await cache.entityCount())  // 1
    /// ```
    ///
    /// - Parameters:
    ///   - configuration: The settings of the cache.
    ///   - upstream: The source of missing events; without one they are lost after the reorder window.
    ///   - queryUpstream: The source of responses to queries that the cache cannot answer; without one such queries
    ///     fail.
    ///   - mutationUpstream: The server that performs the requests of pending edits; without one nothing is sent.
    ///   - clock: The source of time; a ``ManualClock`` stands still until the test moves it.
    /// - Throws: ``/Tidemark/StorageError`` for a configuration that no cache can have.
    public static func inMemory(
        configuration: CacheConfiguration = CacheConfiguration(), upstream: (any Upstream)? = nil,
        queryUpstream: (any QueryUpstream)? = nil, mutationUpstream: (any MutationUpstream)? = nil,
        clock: any CacheClock = SystemClock()
    ) async throws(StorageError) -> SyncCache {
        try await open(
            configuration: configuration, journal: MemoryJournal(), upstream: upstream, queryUpstream: queryUpstream,
            mutationUpstream: mutationUpstream, clock: clock)
    }
}
