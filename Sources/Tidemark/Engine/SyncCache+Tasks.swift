extension SyncCache {
    /// Begins a task of the cache's own, where ``CacheConfiguration/taskExecutor`` says.
    @discardableResult
    nonisolated func spawn(_ body: @escaping @Sendable () async -> Void) -> Task<Void, Never> {
        Task(executorPreference: configuration.taskExecutor) { await body() }
    }
}
