extension SyncCache {
    /// Starts a task of the cache's own on ``CacheConfiguration/taskExecutor``.
    ///
    /// - Parameter body: If it is isolated to the cache, it begins on the cache's actor after the work that waits there
    ///   already, as with `Task { … }`.
    @discardableResult
    package nonisolated func spawn(
        @_inheritActorContext _ body: sending @escaping @isolated(any) () async -> Void
    ) -> Task<Void, Never> {
        guard let executor = configuration.taskExecutor else { return Task(operation: body) }
        return Task(executorPreference: executor, operation: body)
    }
}
