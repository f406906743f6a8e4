/// Work that is shared by all callers that arrive while it runs: one task does it, and all get its result.
struct SharedTurn<Result: Sendable> {
    /// The task that runs; nil between two runs.
    private var task: Task<Result, Never>?

    /// Returns the running task, or starts one.
    mutating func join(_ begin: () -> Task<Result, Never>) -> Task<Result, Never> {
        let joined = task ?? begin()
        task = joined
        return joined
    }

    /// Records that a task has ended. A newer task, which may have started by then, is kept.
    mutating func ended(_ task: Task<Result, Never>) {
        if self.task == task { self.task = nil }
    }
}
