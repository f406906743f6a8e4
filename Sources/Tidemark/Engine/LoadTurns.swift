/// The turns of loads: one caller at a time loads entities from the journal and uses them.
///
/// While any caller is between asking the journal for entities and using them, nothing is evicted. The waiters are
/// bounded by the callers.
struct LoadTurns {
    private var lock = FairLock()
    /// The number of callers between asking the journal and using its answer.
    private var loadingCount = 0

    /// Whether some caller is between asking the journal and using its answer.
    var isLoading: Bool { loadingCount > 0 }

    /// Takes the turn if it is free, and tells whether it was.
    mutating func takeAtOnce() -> Bool { lock.takeAtOnce() }

    mutating func wait(_ continuation: CheckedContinuation<Void, Never>) { lock.wait(continuation) }

    /// Gives the turn to the caller that waits longest.
    mutating func release() { lock.release() }

    /// Begins a load: nothing is evicted until it ends.
    mutating func begin() { loadingCount += 1 }

    /// - Returns: Whether no load is under way any more.
    mutating func end() -> Bool {
        loadingCount -= 1
        precondition(loadingCount >= 0, "a load ended \(-loadingCount) times too often")
        return loadingCount == 0
    }
}
