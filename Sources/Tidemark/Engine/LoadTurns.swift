/// The lock for loads: one caller at a time loads entities from the journal and uses them.
///
/// Nothing is evicted while any caller is between asking the journal for entities and using them. The number of waiters
/// is bounded by the number of callers.
struct LoadTurns {
    private var lock = FairLock()
    /// The number of callers between asking the journal and using its answer.
    private var loadingCount = 0

    /// True if some caller is between asking the journal and using its answer.
    var isLoading: Bool { loadingCount > 0 }

    /// Takes the lock if it is free.
    ///
    /// - Returns: True if the lock was free.
    mutating func takeAtOnce() -> Bool { lock.takeAtOnce() }

    mutating func wait(_ continuation: CheckedContinuation<Void, Never>) { lock.wait(continuation) }

    /// Passes the lock to the caller that has waited longest, or frees it.
    mutating func release() { lock.release() }

    /// Begins a load: nothing is evicted until it ends.
    mutating func begin() { loadingCount += 1 }

    /// Ends a load.
    ///
    /// - Returns: True if no other load is under way.
    mutating func end() -> Bool {
        loadingCount -= 1
        precondition(loadingCount >= 0, "a load ended \(-loadingCount) times too often")
        return loadingCount == 0
    }
}
