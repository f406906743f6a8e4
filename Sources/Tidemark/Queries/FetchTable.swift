import TidemarkModel
import TidemarkStore

/// The fetches under way. Bounded by `fetchCountMax`.
///
/// Readers of one query share the response of the fetch that began last, unless something has happened since that the
/// response cannot include. The next reader then begins another fetch, and the older one continues for its own readers.
struct FetchTable {
    /// The fetches by the number of their attempt.
    private var fetches: [UInt64: Fetch] = [:]
    /// The attempt that further readers of a query may join.
    private var current: [QueryKey: UInt64] = [:]
    private var lastAttempt: UInt64 = 0
    private(set) var times = FetchTimes()
    /// The fetches of a recording under replay. Bounded by `fetchCountMax` of the recorded cache.
    private var replayed: [UInt64: FetchStart] = [:]

    /// What became of a reader's attempt to join a fetch.
    enum Join {
        /// No fetch for the query may be joined.
        case none
        case joined
        /// The response has arrived, and this reader does not need it stored.
        case answered(DecodedResponse)
    }

    var count: Int { fetches.count }

    /// Returns the number of a new attempt.
    mutating func newAttempt() -> UInt64 {
        lastAttempt += 1
        return lastAttempt
    }

    /// Lets a reader wait for a fetch under way.
    ///
    /// - Parameter mayJoin: Returns whether the response to an earlier request serves this reader too.
    mutating func join(_ waiter: FetchWaiter, mayJoin: (FetchStart) -> Bool) -> Join {
        guard let attempt = current[waiter.request.key], let fetch = fetches[attempt], mayJoin(fetch.start) else {
            return .none
        }
        if let answer = fetch.answer, !waiter.storesAnswer { return .answered(answer) }
        fetches[attempt]?.waiters.append(waiter)
        return .joined
    }

    /// Records how long a fetch took, if it is under way and has no response yet.
    mutating func noteEnd(of attempt: UInt64, at now: Int64, failure: String? = nil) {
        guard let fetch = fetches[attempt], fetch.answer == nil else { return }
        times.note(fetch.key, begunAt: fetch.begunAt, endedAt: now, failure: failure)
    }

    /// Adds a fetch, which later readers of its query join.
    mutating func begin(_ fetch: Fetch) {
        fetches[fetch.attempt] = fetch
        current[fetch.key] = fetch.attempt
    }

    /// Removes a fetch without a response.
    ///
    /// - Returns: nil when the response has arrived, or when the fetch has ended.
    mutating func takeUnanswered(_ attempt: UInt64) -> Fetch? {
        guard let fetch = fetches[attempt], fetch.answer == nil else { return nil }
        return remove(attempt)
    }

    /// Records that a response has arrived. Readers that need it stored continue to wait.
    ///
    /// - Returns: The fetch with all its readers, and whether some of them wait for the stored response; without such
    ///   readers the fetch has ended. nil when it had ended before.
    mutating func answered(_ answer: DecodedResponse, _ attempt: UInt64) -> (fetch: Fetch, isStored: Bool)? {
        guard let fetch = fetches[attempt] else { return nil }
        let waiting = fetch.waiters.filter(\.storesAnswer)
        fetches[attempt]?.waiters = waiting
        fetches[attempt]?.answer = answer
        if waiting.isEmpty { _ = remove(attempt) }
        return (fetch, !waiting.isEmpty)
    }

    /// Removes and returns the readers that wait for a stored response. The fetch continues, and more readers may join.
    mutating func takeWaiters(_ attempt: UInt64) -> [FetchWaiter] {
        let waiters = fetches[attempt]?.waiters ?? []
        fetches[attempt]?.waiters = []
        return waiters
    }

    /// Ends a fetch whose response was stored or could not be stored.
    ///
    /// - Returns: The readers that still wait.
    mutating func end(_ attempt: UInt64) -> [FetchWaiter] { remove(attempt)?.waiters ?? [] }

    private mutating func remove(_ attempt: UInt64) -> Fetch? {
        guard let fetch = fetches.removeValue(forKey: attempt) else { return nil }
        if current[fetch.key] == attempt { current[fetch.key] = nil }
        return fetch
    }

    /// Every fetch, in the order in which they began.
    var all: [Fetch] { fetches.values.sorted { $0.attempt < $1.attempt } }

    // MARK: Replaying

    mutating func beginReplayed(_ number: UInt64, _ start: FetchStart) { replayed[number] = start }

    /// - Returns: False when no such fetch was begun.
    mutating func endReplayed(_ number: UInt64) -> Bool { replayed.removeValue(forKey: number) != nil }

    func replayedStart(_ number: UInt64) -> FetchStart? { replayed[number] }
}
