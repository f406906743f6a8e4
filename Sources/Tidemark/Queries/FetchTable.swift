import TidemarkModel
import TidemarkStore

/// The fetches under way, by query: one for all readers that wait for the same answer. Bounded by `fetchCountMax`.
struct FetchTable {
    private var fetches: [QueryKey: Fetch] = [:]
    private var lastAttempt: UInt64 = 0
    private(set) var times = FetchTimes()
    /// The fetches of a recording that is being replayed. Bounded by `fetchCountMax` of the recorded cache.
    private var replayed: [UInt64: FetchStart] = [:]

    /// The outcome of a reader's attempt to join a fetch.
    enum Join {
        /// There is no fetch for the query.
        case none
        case joined
        /// The answer has come, and the reader does not need it stored.
        case answered(DecodedAnswer)
    }

    var count: Int { fetches.count }

    /// Returns the number of a new attempt.
    mutating func newAttempt() -> UInt64 {
        lastAttempt += 1
        return lastAttempt
    }

    /// Lets a reader wait for a fetch that is under way.
    mutating func join(_ waiter: FetchWaiter) -> Join {
        let key = waiter.request.key
        guard let fetch = fetches[key] else { return .none }
        if let answer = fetch.answer, !waiter.storesAnswer { return .answered(answer) }
        fetches[key]?.waiters.append(waiter)
        return .joined
    }

    /// Notes the time that a fetch took, when it is the current one and has no answer yet.
    mutating func noteEnd(of key: QueryKey, _ attempt: UInt64, at now: Int64, failure: String? = nil) {
        guard let fetch = fetches[key], fetch.attempt == attempt, fetch.answer == nil else { return }
        times.note(key, begunAt: fetch.begunAt, endedAt: now, failure: failure)
    }

    mutating func begin(_ fetch: Fetch, for key: QueryKey) { fetches[key] = fetch }

    /// Removes a fetch that got no answer.
    ///
    /// - Returns: nil when the answer has come, or when the current fetch is another one.
    mutating func takeUnanswered(_ key: QueryKey, _ attempt: UInt64) -> Fetch? {
        guard let fetch = fetches[key], fetch.attempt == attempt, fetch.answer == nil else { return nil }
        fetches[key] = nil
        return fetch
    }

    /// Notes that an answer has come. Readers that need it stored continue to wait.
    ///
    /// - Returns: The fetch with all its readers, and whether some of them wait for the stored answer; without them the
    ///   fetch has ended. nil when the current fetch is another one.
    mutating func answered(
        _ answer: DecodedAnswer, _ key: QueryKey, _ attempt: UInt64
    ) -> (fetch: Fetch, isStored: Bool)? {
        guard let fetch = fetches[key], fetch.attempt == attempt else { return nil }
        var waiting = fetch
        waiting.waiters.removeAll { !$0.storesAnswer }
        waiting.answer = answer
        fetches[key] = waiting.waiters.isEmpty ? nil : waiting
        return (fetch, !waiting.waiters.isEmpty)
    }

    /// Removes the readers that wait for a stored answer. The fetch continues: more of them may join.
    mutating func takeWaiters(_ key: QueryKey) -> [FetchWaiter] {
        let waiters = fetches[key]?.waiters ?? []
        fetches[key]?.waiters = []
        return waiters
    }

    /// Ends a fetch whose answer was stored, or could not be stored.
    ///
    /// - Returns: The readers that still wait.
    mutating func end(_ key: QueryKey) -> [FetchWaiter] { fetches.removeValue(forKey: key)?.waiters ?? [] }

    /// Every fetch with its query, in the order in which they began.
    var all: [(key: QueryKey, fetch: Fetch)] {
        fetches.sorted { $0.value.attempt < $1.value.attempt }.map { ($0.key, $0.value) }
    }

    // MARK: Replaying

    mutating func beginReplayed(_ number: UInt64, _ start: FetchStart) { replayed[number] = start }

    /// - Returns: false when no such fetch was begun.
    mutating func endReplayed(_ number: UInt64) -> Bool { replayed.removeValue(forKey: number) != nil }

    func replayedStart(_ number: UInt64) -> FetchStart? { replayed[number] }
}
