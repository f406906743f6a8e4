/// A turn that every caller shares who comes while it lasts: one task does the work, and all get its result.
struct SharedTurn<Result: Sendable> {
    /// The task of the turn; nil between turns.
    private var task: Task<Result, Never>?

    /// Returns the task of the turn that lasts, or of the one that begins now.
    mutating func join(_ begin: () -> Task<Result, Never>) -> Task<Result, Never> {
        let joined = task ?? begin()
        task = joined
        return joined
    }

    /// Notes that a task has ended. A later turn may have begun by then; it goes on.
    mutating func ended(_ task: Task<Result, Never>) {
        if self.task == task { self.task = nil }
    }
}
