import TidemarkModel

/// The outbox of a cache: the queue, and what its decisions need to be carried out.
struct OutboxDriver {
    /// An attempt under way.
    struct Attempt {
        /// The number of the attempt, so that the end of an old attempt does not remove the task of the next one.
        var number: Int
        var pendingID: ByteString
        var library: ByteString
        /// The generation of the library's log when the request was sent. A sequence in the response belongs to it.
        var generation: UInt32
        /// True once the request was sent. `task` then waits for the response.
        var hasLeft = false
        /// The entities that the edit adds, as the request has them.
        var added: Set<EntityKey> = []
        /// The task that writes the attempt to the disk, and later the one that waits for the response; nil before
        /// both.
        var task: Task<Void, Never>?
        /// Ends the attempt when no response arrives; nil when the upstream does so itself.
        var timer: Task<Void, Never>?
    }

    /// How many attempts are awaited whose edits are gone: 64. Beyond that the oldest is cancelled.
    static let lateCountMax = 64

    var queue = OutboxQueue()
    /// The server; nil until ``SyncCache/startOutbox(_:timeout:observer:)``.
    var upstream: (any MutationUpstream)?
    /// How long an attempt waits for a response, in milliseconds; nil when the upstream ends it.
    var timeout: Int64?
    /// Called with each status that changed; must not block.
    var observer: (@Sendable (OutboxStatus) -> Void)?
    /// The statuses that the observer knows, by the layer's number. Bounded by the pending layers.
    var shown: [Int64: OutboxStatus] = [:]
    /// The attempts under way, by the layer's number. Bounded by ``OutboxQueue/inFlightCountMax`` and ``lateCountMax``.
    var attempts: [Int64: Attempt] = [:]
    /// The attempts that wait for the disk, in order. Bounded by ``OutboxQueue/inFlightCountMax``.
    var begun: [BegunAttempt] = []
    /// The task that writes and then sends these attempts; nil when none waits.
    var writer: Task<Void, Never>?
    /// True once nothing more is sent, because the cache or its session ends.
    var isStopped = false
    /// True while changes of the queue are being processed. What they cause is processed in the same call.
    var isFollowing = false

    /// Ends an attempt whose response has arrived, or for which nobody waits any more.
    mutating func endAttempt(_ number: Int64, _ attempt: Int) {
        guard attempts[number]?.number == attempt else { return }
        attempts.removeValue(forKey: number)?.timer?.cancel()
        _ = queue.endHeld(number)
    }

    /// Removes a request whose edit has settled or was rolled back.
    ///
    /// An attempt under way continues, because its response may bring real ids.
    ///
    /// - Parameter isUnanswered: Whether only the response shows what became of the request. The next request of its
    ///   key then waits for the end of the attempt.
    mutating func remove(_ number: Int64, isUnanswered: Bool) {
        let isUnderWay = attempts[number] != nil
        queue.remove(number, holdsKey: isUnderWay && isUnanswered)
        shown[number] = nil
        guard isUnderWay else { return }
        let late = attempts.filter { $0.value.hasLeft && queue.items[$0.key] == nil && !queue.isHeld($0.key) }.keys
        if late.count > OutboxDriver.lateCountMax, let oldest = late.min() { attempts[oldest]?.task?.cancel() }
    }
}
