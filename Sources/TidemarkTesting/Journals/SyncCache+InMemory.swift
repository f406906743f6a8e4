import Tidemark
import TidemarkModel

extension SyncCache {
    /// Opens a cache without a file, for tests: nothing outlives it.
    ///
    /// ```swift
    /// let clock = ManualClock()
    /// let cache = try await SyncCache.inMemory(clock: clock)
    /// ```
    ///
    /// - Parameters:
    ///   - upstream: The source of missing events; without one they are lost after the reorder window.
    ///   - queryUpstream: The source of queries that the cache cannot answer; without one such queries are errors.
    ///   - mutationUpstream: The server that performs the requests of pending edits; without one nothing is sent.
    ///   - clock: The clock of ages and pauses; a ``ManualClock`` stands still until the test moves it.
    /// - Throws: ``Tidemark/StorageError`` for a configuration that no cache can have.
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
