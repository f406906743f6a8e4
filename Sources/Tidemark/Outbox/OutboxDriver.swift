import TidemarkModel

/// The outbox of a cache: the queue, and the work that its decisions need.
struct OutboxDriver {
    /// One attempt that is under way.
    struct Attempt {
        /// The number of the attempt: the end of an attempt must not remove the task of the next one.
        var number: Int
        var pendingID: ByteString
        var library: ByteString
        /// The generation of the library's log when the request was sent: a place in the answer belongs to it.
        var generation: UInt32
        /// Whether the request has left: then `task` waits for its answer.
        var hasLeft = false
        /// The entities that the edit adds, as the request has them.
        var added: Set<EntityKey> = []
        /// The task that writes the attempt to the disk, then the one that waits for the answer; nil before both.
        var task: Task<Void, Never>?
        /// Ends the attempt when no answer comes; nil when the upstream does so by itself.
        var timer: Task<Void, Never>?
    }

    /// The attempts that wait for their answer although the edit is gone: 64. Beyond it the oldest is given up.
    static let lateCountMax = 64

    var queue = OutboxQueue()
    /// The server that is asked; nil until ``SyncCache/startOutbox(_:timeout:observer:)``.
    var upstream: (any MutationUpstream)?
    /// The milliseconds after which an attempt ends without an answer; nil: the upstream ends it.
    var timeout: Int64?
    /// Called with each changed status; must not wait.
    var observer: (@Sendable (OutboxStatus) -> Void)?
    /// The statuses that the observer has, by the layer's number. Bounded by the pending layers.
    var shown: [Int64: OutboxStatus] = [:]
    /// The attempts that are under way, by the layer's number. Bounded by ``OutboxQueue/inFlightCountMax`` and
    /// ``lateCountMax``.
    var attempts: [Int64: Attempt] = [:]
    /// The attempts that wait for the disk, in order. Bounded by ``OutboxQueue/inFlightCountMax``.
    var begun: [BegunAttempt] = []
    /// The task that writes them and sends them; nil when none waits.
    var writer: Task<Void, Never>?
    /// Whether nothing is sent any more, because the cache or its session ends.
    var isStopped = false
    /// Whether the queue is being followed: what it causes is taken up in the same call.
    var isFollowing = false

    /// Ends an attempt: its answer came, or nobody waits for it any more.
    mutating func endAttempt(_ number: Int64, _ attempt: Int) {
        guard attempts[number]?.number == attempt else { return }
        attempts.removeValue(forKey: number)?.timer?.cancel()
        _ = queue.endHeld(number)
    }

    /// Takes over that a request is gone: its edit has settled, or was rolled back.
    ///
    /// An attempt that is under way goes on, because its answer may bring real ids.
    ///
    /// - Parameter isUnanswered: Whether only the answer tells what became of the request. The next one of its key
    ///   then waits for the end of the attempt.
    mutating func remove(_ number: Int64, isUnanswered: Bool) {
        let isUnderWay = attempts[number] != nil
        queue.remove(number, holdsKey: isUnderWay && isUnanswered)
        shown[number] = nil
        guard isUnderWay else { return }
        let late = attempts.filter { $0.value.hasLeft && queue.items[$0.key] == nil && !queue.isHeld($0.key) }.keys
        if late.count > OutboxDriver.lateCountMax, let oldest = late.min() { attempts[oldest]?.task?.cancel() }
    }
}
