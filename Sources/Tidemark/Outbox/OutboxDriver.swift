import TidemarkModel

/// The outbox of a cache: the queue, and the work that its decisions need.
struct OutboxDriver {
    /// One attempt that is under way.
    struct Attempt {
        /// The number of the attempt: the end of an attempt must not remove the task of the next one.
        var number: Int
        /// The generation of the library's log when the request was sent: a place in the answer belongs to it.
        var generation: UInt32
        var task: Task<Void, Never>
        /// Ends the attempt when no answer comes; nil when the upstream does so by itself.
        var timer: Task<Void, Never>?
    }

    var queue = OutboxQueue()
    /// The server that is asked; nil until ``SyncCache/startOutbox(_:timeout:observer:)``.
    var upstream: (any MutationUpstream)?
    /// The milliseconds after which an attempt ends without an answer; nil: the upstream ends it.
    var timeout: Int64?
    /// Called with each changed status; must not wait.
    var observer: (@Sendable (OutboxStatus) -> Void)?
    /// The statuses that the observer has, by the layer's number. Bounded by the pending layers.
    var shown: [Int64: OutboxStatus] = [:]
    /// The attempts that are under way, by the layer's number. Bounded by ``OutboxQueue/inFlightCountMax``.
    var attempts: [Int64: Attempt] = [:]
    /// Whether nothing is sent any more, because the cache or its session ends.
    var isStopped = false
    /// Whether the queue is being followed: what it causes is taken up in the same call.
    var isFollowing = false

    /// Ends the tasks of an attempt.
    mutating func endAttempt(_ number: Int64, _ attempt: Int) {
        guard attempts[number]?.number == attempt else { return }
        attempts.removeValue(forKey: number)?.timer?.cancel()
    }
}
