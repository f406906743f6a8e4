import TidemarkModel
import TidemarkStore

extension SyncCache {
    /// Marks queries as stale; entities are unchanged.
    ///
    /// - Returns: The number of queries that became stale.
    /// - Throws: ``CacheError`` when the cache is closed.
    package func invalidate(_ invalidation: Invalidation) throws(CacheError) -> Int {
        try checkChangeable()
        let now = clock.now()
        let selection = CacheState.Selection(
            library: invalidation.library, method: invalidation.method, input: invalidation.input,
            resourceType: invalidation.resourceType, tags: invalidation.tags, hints: invalidation.hints)
        let count = recorded(.invalidation(invalidation), of: invalidation.library, at: now) {
            defer { distribute() }
            return state.invalidate(selection, at: now)
        }
        scheduleFlush()
        return count
    }
}
