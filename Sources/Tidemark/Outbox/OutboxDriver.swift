import TidemarkModel

/// An attempt that was counted. It is sent once its count is on the disk.
struct BegunAttempt: Sendable {
    /// The number of the layer.
    var layer: Int64
    /// The number of the attempt.
    var number: Int
}

/// The outbox of a cache: the queue, the server, and the attempts under way.
///
/// The queue decides what is sent when. This type knows which tasks carry that out; the actor makes the tasks.
struct OutboxDriver {
    /// An attempt under way.
    private struct Attempt {
        /// The number of the attempt, so that the end of an old attempt does not remove the task of the next one.
        let number: Int
        let pendingID: ByteString
        let library: ByteString
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
    private static let lateCountMax = 64

    /// Which requests wait, and for what.
    var queue = OutboxQueue()
    /// How long an attempt waits for a response, in milliseconds; nil when the upstream ends it.
    private(set) var timeout: Int64?
    /// Called with each status that changed; must not block.
    private(set) var observer: (@Sendable (OutboxStatus) -> Void)?
    /// True once nothing more is sent, because the cache or its session ends.
    private(set) var isStopped = false

    /// The server; nil until ``start(_:timeout:observer:)``.
    private var upstream: (any MutationUpstream)?
    /// The statuses that the observer knows, by the layer's number. Bounded by the pending layers.
    private var shown: [Int64: OutboxStatus] = [:]
    /// The attempts under way, by the layer's number. Bounded by ``OutboxQueue/inFlightCountMax`` and ``lateCountMax``.
    private var attempts: [Int64: Attempt] = [:]
    /// The attempts that wait for the disk, in order. Bounded by ``OutboxQueue/inFlightCountMax``.
    private var begun: [BegunAttempt] = []
    /// The task that writes and then sends these attempts; nil when none waits.
    private var writer: Task<Void, Never>?
    /// True while changes of the queue are being processed.
    private var isFollowing = false

    // MARK: Starting and stopping

    /// Sets the server, and whom to notify.
    mutating func start(
        _ upstream: (any MutationUpstream)?, timeout: Int64?, observer: (@Sendable (OutboxStatus) -> Void)?
    ) {
        (self.upstream, self.timeout, self.observer) = (upstream, timeout, observer)
    }

    /// Stops sending for good.
    mutating func stop() { isStopped = true }

    /// The server to send to; nil when nothing is sent.
    var server: (any MutationUpstream)? { isStopped ? nil : upstream }

    // MARK: Following

    /// Begins to process changes of the queue.
    ///
    /// - Returns: False if that is under way already: what the changes cause is processed there.
    mutating func beginFollowing() -> Bool {
        guard !isFollowing else { return false }
        isFollowing = true
        return true
    }

    /// Ends the processing of changes.
    mutating func endFollowing() { isFollowing = false }

    /// Returns the statuses that changed since the last call and that the observer does not know; none without an
    /// observer.
    mutating func takeNews() -> [OutboxStatus] {
        queue.takeChanged().compactMap { number in
            guard observer != nil, let status = queue.status(number), shown[number] != status else { return nil }
            shown[number] = status
            return status
        }
    }

    // MARK: Attempts

    /// Records that an attempt was counted.
    ///
    /// - Parameter generation: The generation of the library's log.
    mutating func begin(
        _ attempt: BegunAttempt, pendingID: ByteString, library: ByteString, generation: UInt32
    ) {
        attempts[attempt.layer] = Attempt(
            number: attempt.number, pendingID: pendingID, library: library, generation: generation)
    }

    /// Lets attempts wait for the disk, in order. One task writes for all of them, because the waiters of one flush
    /// resume in any order.
    ///
    /// - Parameter spawn: Starts the task that writes and sends; called when none is running.
    mutating func enqueue(_ counted: [BegunAttempt], spawn: () -> Task<Void, Never>) {
        begun += counted
        let task = writer ?? spawn()
        writer = task
        for attempt in counted { attempts[attempt.layer]?.task = task }
    }

    /// Returns the attempts that wait for the disk, which then wait no more; nil ends the task that writes.
    mutating func takeBegun() -> [BegunAttempt]? {
        guard !begun.isEmpty else {
            writer = nil
            return nil
        }
        defer { begun = [] }
        return begun
    }

    /// Records that a request was sent.
    ///
    /// - Parameters:
    ///   - generation: The generation of the library's log, which may have begun anew during the write.
    ///   - added: The entities that the edit adds, as the request has them.
    ///   - timer: Ends the attempt when no response arrives; nil when the upstream does so itself.
    ///   - task: Waits for the response.
    mutating func send(
        _ layer: Int64, generation: UInt32, added: Set<EntityKey>, timer: Task<Void, Never>?, task: Task<Void, Never>
    ) {
        attempts[layer]?.generation = generation
        attempts[layer]?.added = added
        attempts[layer]?.hasLeft = true
        attempts[layer]?.timer = timer
        attempts[layer]?.task = task
    }

    /// Records that a response arrived: no timer ends the attempt any more.
    ///
    /// - Returns: The generation of the log that the response belongs to; nil when there is no attempt.
    func receive(_ layer: Int64) -> UInt32? {
        attempts[layer]?.timer?.cancel()
        return attempts[layer]?.generation
    }

    /// True if this is the attempt under way for a layer.
    func isUnderWay(_ layer: Int64, _ number: Int) -> Bool { attempts[layer]?.number == number }

    /// The library of an attempt; nil when it is not under way.
    func library(of layer: Int64, _ number: Int) -> ByteString? {
        isUnderWay(layer, number) ? attempts[layer]?.library : nil
    }

    /// The task of an attempt; nil when it is not under way.
    func task(of layer: Int64, _ number: Int) -> Task<Void, Never>? {
        isUnderWay(layer, number) ? attempts[layer]?.task : nil
    }

    /// The layer of a sent request with the entities that its edit adds; nil when nobody waits for the response any
    /// more.
    func sent(_ mutation: SentMutation) -> (layer: Int64, added: Set<EntityKey>)? {
        let attempt = attempts.first {
            $0.value.pendingID == mutation.pendingID && $0.value.number == mutation.attempt
                && $0.value.library == mutation.library
        }
        return attempt.map { ($0.key, $0.value.added) }
    }

    /// Ends an attempt whose response has arrived, or for which nobody waits any more.
    mutating func endAttempt(_ layer: Int64, _ number: Int) {
        guard isUnderWay(layer, number) else { return }
        attempts.removeValue(forKey: layer)?.timer?.cancel()
        _ = queue.endHeld(layer)
    }

    /// Removes a request whose edit has settled or was rolled back.
    ///
    /// An attempt under way continues, because its response may bring real ids.
    ///
    /// - Parameter isUnanswered: Whether only the response shows what became of the request. The next request of its
    ///   key then waits for the end of the attempt.
    mutating func remove(_ layer: Int64, isUnanswered: Bool) {
        let isUnderWay = attempts[layer] != nil
        queue.remove(layer, holdsKey: isUnderWay && isUnanswered)
        shown[layer] = nil
        guard isUnderWay else { return }
        let late = attempts.filter { $0.value.hasLeft && queue.items[$0.key] == nil && !queue.isHeld($0.key) }.keys
        if late.count > OutboxDriver.lateCountMax, let oldest = late.min() { attempts[oldest]?.task?.cancel() }
    }

    // MARK: Ending

    /// A task of some attempt; nil when none is under way.
    var someTask: (layer: Int64, number: Int, task: Task<Void, Never>?)? {
        attempts.first.map { ($0.key, $0.value.number, $0.value.task) }
    }

    /// Ends an attempt, if the task that was awaited is still its own: its end has then not been processed.
    mutating func endAttempt(_ layer: Int64, _ number: Int, ifStill task: Task<Void, Never>?) {
        if attempts[layer]?.task == task { endAttempt(layer, number) }
    }

    /// Cancels every attempt.
    func cancelAll() {
        for attempt in attempts.values { attempt.task?.cancel() }
    }
}
