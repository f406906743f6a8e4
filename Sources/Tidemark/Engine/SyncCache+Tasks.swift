extension SyncCache {
    /// Begins a task of the cache's own, where ``CacheConfiguration/taskExecutor`` says.
    ///
    /// - Parameter body: One that holds the cache begins on it, behind what waits for it already, as with `Task { … }`.
    @discardableResult
    nonisolated func spawn(
        @_inheritActorContext _ body: sending @escaping @isolated(any) () async -> Void
    ) -> Task<Void, Never> {
        guard let executor = configuration.taskExecutor else { return Task(operation: body) }
        return Task(executorPreference: executor, operation: body)
    }
}
