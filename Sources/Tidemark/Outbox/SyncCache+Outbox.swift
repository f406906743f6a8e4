import Logging
import TidemarkModel
import TidemarkStore

/// The sending of pending edits.
///
/// A request is sent only when its layer and the count of the attempt are on the disk, so that no edit reaches the
/// server that a restart does not know, and a sent one is never taken for an unsent one.
///
/// - Source: Protocol/optimistic.md, the outbox.
extension SyncCache {
    /// Begins to send the requests of pending edits.
    ///
    /// - Parameters:
    ///   - timeout: The milliseconds after which an attempt ends without an answer; nil: the upstream ends it.
    ///   - observer: Called on the cache's executor with each changed status, from now on; must not wait.
    package func startOutbox(
        _ upstream: (any MutationUpstream)?, timeout: Int64?, observer: (@Sendable (OutboxStatus) -> Void)? = nil
    ) {
        outbox.upstream = upstream
        outbox.timeout = timeout
        outbox.observer = observer
        followOutbox()
    }

    /// Stops sending until ``resumeOutbox()``, or until the cache is opened again. Attempts that are under way end as
    /// usual.
    public func pauseOutbox() {
        outbox.queue.pause()
    }

    /// Sends again, also what waits for its next attempt.
    public func resumeOutbox() {
        outbox.queue.resume()
        followOutbox()
    }

    /// Returns the progress of the edits that have a request, oldest first.
    ///
    /// - Parameter library: The library; nil: all libraries.
    /// - Complexity: O(n log n).
    public func outboxStatuses(library: ByteString? = nil) -> [OutboxStatus] {
        outbox.queue.items.keys.sorted().compactMap { outbox.queue.status($0) }.filter {
            library == nil || $0.library == library
        }
    }

    /// Sends a failed request again. Returns when that is on the disk.
    ///
    /// - Throws: ``CacheError``: `unknownPending`, `invalidParams`, `storageFailed`.
    package func retry(_ pendingID: ByteString) async throws(CacheError) {
        try beginRetry(pendingID)
        try await finish(pendingID, isUpdate: false)
    }

    /// Does the first half of a retry: a failed request is queued with all its attempts, one that waits is queued now.
    ///
    /// - Throws: ``CacheError``: `unknownPending`; `invalidParams` for an edit without a request.
    package func beginRetry(_ pendingID: ByteString, library: ByteString? = nil) throws(CacheError) {
        try checkOpen()
        let number: Int64?
        do throws(LayerRefusal) {
            number = try recorded(.retry(pendingID, library: library), at: clock.now()) { () throws(LayerRefusal) in
                try state.retryRequest(pendingID, library: library)
            }
        } catch {
            throw error.cacheError(name: "pending_id")
        }
        guard let number else {
            throw CacheError(
                .invalidParams, "'\(pendingID)' has no request to send: pass send with optimistic.update")
        }
        outbox.queue.hurry(number)
        followOutbox()
    }

    /// Ends the sending: nothing more is sent, and errors of attempts that are under way are not taken.
    package func stopOutbox() {
        outbox.isStopped = true
        timers.outbox?.task.cancel()
    }

    /// Returns when every attempt that is under way has ended.
    ///
    /// - Precondition: The upstream ends them all, because it cannot be reached any more.
    package func drainOutbox() async {
        while let attempt = outbox.attempts.values.first {
            await attempt.task.value
            if let (number, same) = outbox.attempts.first(where: { $0.value.task == attempt.task }) {
                outbox.endAttempt(number, same.number)
            }
        }
    }

    /// Returns the entities that the edit of an attempt adds.
    ///
    /// - Returns: nil when the attempt is no longer under way: the edit has settled, or is sent again.
    package func addedKeys(by mutation: SentMutation) -> Set<EntityKey>? {
        let number = outbox.attempts.keys.first { outbox.queue.items[$0]?.entry.pendingID == mutation.pendingID }
        guard let number, outbox.queue.isSending(number, attempt: mutation.attempt) else { return nil }
        let added = state.requestChanges(of: number).filter { if case .put = $0.change { true } else { false } }
        return Set(added.map(\.key))
    }

    // MARK: Following the layers

    /// Applies the changes of requests, sends those that may be sent, and notifies the observer.
    ///
    /// Called in the same step as the change. Its own changes of layers are taken up here, not by another call.
    func followOutbox() {
        guard !outbox.isFollowing else { return }
        outbox.isFollowing = true
        takeOutboxChanges()
        if outbox.upstream != nil, !outbox.isStopped, !isClosed {
            while let start = outbox.queue.next() { begin(start) }
            setOutboxTimer()
        }
        outbox.isFollowing = false
        notifyOutbox()
    }

    private func takeOutboxChanges() {
        guard state.hasOutboxChanges else { return }
        for (number, entry) in state.takeOutboxChanges() {
            if let entry {
                outbox.queue.put(entry)
            } else {
                outbox.queue.remove(number)
                outbox.shown[number] = nil
                if let attempt = outbox.attempts.removeValue(forKey: number) {
                    attempt.timer?.cancel()
                    attempt.task.cancel()
                }
            }
        }
    }

    private func notifyOutbox() {
        for number in outbox.queue.takeChanged() {
            guard let status = outbox.queue.status(number), let observer = outbox.observer,
                outbox.shown[number] != status
            else { continue }
            outbox.shown[number] = status
            observer(status)
        }
    }

    private func setOutboxTimer() {
        guard let moment = outbox.queue.nextMoment else { return }
        timers.setOutbox(at: moment) {
            let delay = max(0, moment.subtractingClamped(clock.now()))
            return spawn { [weak self, clock] in
                do {
                    try await clock.sleep(milliseconds: delay)
                } catch {
                    return
                }
                await self?.outboxTimerFired(at: moment)
            }
        }
    }

    private func outboxTimerFired(at moment: Int64) {
        timers.outboxFired(at: moment)
        outbox.queue.wake(at: max(moment, clock.now()))
        followOutbox()
    }

    // MARK: An attempt

    /// Counts an attempt, and sends it when the count is on the disk.
    private func begin(_ start: OutboxQueue.Start) {
        let now = clock.now()
        guard let pendingID = outbox.queue.items[start.number]?.entry.pendingID else { return }
        let members = start.members.compactMap { outbox.queue.items[$0]?.entry.pendingID }
        recorded(.attempt(pendingID, members: members), at: now) {
            state.beginAttempt(pendingID, with: members, at: now)
        }
        takeOutboxChanges()
        guard let entry = outbox.queue.items[start.number]?.entry else { return }
        let attempt = entry.sending.attemptCount
        let task = spawn { await self.perform(start.number, attempt) }
        outbox.attempts[start.number] = OutboxDriver.Attempt(
            number: attempt, generation: state.generation(of: entry.library), task: task)
    }

    private func perform(_ number: Int64, _ attempt: Int) async {
        do throws(StorageError) {
            try await writeAll()
        } catch {
            configuration.logger.warning("an edit is not sent before it is on the disk: \(error.message)")
            outbox.endAttempt(number, attempt)
            outbox.queue.postpone(number, attempt: attempt, until: clock.now() + OutboxBackoff.first)
            return followOutbox()
        }
        guard !outbox.isStopped, let upstream = outbox.upstream, let mutation = mutation(number, attempt) else {
            return outbox.endAttempt(number, attempt)
        }
        // A new log may have begun while the disk was written: the answer will be about the log of now.
        outbox.attempts[number]?.generation = state.generation(of: mutation.library)
        if let timeout = outbox.timeout, outbox.attempts[number]?.number == attempt {
            outbox.attempts[number]?.timer = spawn { [weak self, clock] in
                do {
                    try await clock.sleep(milliseconds: timeout)
                } catch {
                    return
                }
                await self?.timedOut(number, attempt, after: timeout)
            }
        }
        do throws(UpstreamError) {
            await confirmed(number, attempt, try await upstream.send(mutation))
        } catch {
            failed(number, attempt, MutationFailure(error), mayRetry: error.isWorthRetrying)
        }
    }

    private func mutation(_ number: Int64, _ attempt: Int) -> SentMutation? {
        guard outbox.queue.isSending(number, attempt: attempt), let entry = outbox.queue.items[number]?.entry else {
            return nil
        }
        return SentMutation(
            pendingID: entry.pendingID, method: entry.sending.request.method,
            input: state.requestInput(of: number) ?? entry.sending.request.input, attempt: attempt,
            library: entry.library,
            changes: state.requestChanges(of: number).map { TransactionOperation($0.key, $0.change) })
    }

    private func timedOut(_ number: Int64, _ attempt: Int, after timeout: Int64) {
        let task = outbox.attempts[number]?.number == attempt ? outbox.attempts[number]?.task : nil
        failed(
            number, attempt,
            MutationFailure(code: "timed_out", message: ByteString("no answer came in \(timeout) ms")), mayRetry: true)
        task?.cancel()
    }

    // MARK: Answers

    private func confirmed(_ number: Int64, _ attempt: Int, _ answer: OptimisticCommit) async {
        guard outbox.queue.isSending(number, attempt: attempt), let entry = outbox.queue.items[number]?.entry else {
            return
        }
        outbox.attempts[number]?.timer?.cancel()
        var commit = answer
        // When a new log began meanwhile, the answer is one from before it.
        commit.generation = outbox.attempts[number]?.generation
        commit.pendingID = entry.pendingID
        commit.library = entry.library
        do throws(CacheError) {
            try await begin(commit)
            outbox.endAttempt(number, attempt)
            scheduleFlush()
        } catch {
            switch error.code {
            // The event settled the layer, or a host rolled it back, while the answer was on its way.
            case .unknownPending: outbox.endAttempt(number, attempt)
            case .storageFailed:
                failed(number, attempt, MutationFailure(code: nil, message: ByteString(error.message)), mayRetry: true)
            default:
                failed(
                    number, attempt,
                    MutationFailure(
                        code: ByteString(error.code.rawValue),
                        message: ByteString("the answer cannot be used: \(error.message)")), mayRetry: false)
            }
        }
    }

    private func failed(_ number: Int64, _ attempt: Int, _ failure: MutationFailure, mayRetry: Bool) {
        outbox.endAttempt(number, attempt)
        guard !outbox.isStopped, !isClosed else { return }
        let verdict = outbox.queue.failed(
            number, attempt: attempt, failure.bounded, mayRetry: mayRetry, at: clock.now(),
            random: configuration.random())
        switch verdict {
        case .ignored: return
        case .again:
            configuration.logger.debug("an edit is sent again: \(failure.message)")
        case .failed(discards: false):
            if let pendingID = outbox.queue.items[number]?.entry.pendingID {
                recorded(.requestFailure(pendingID, failure.bounded), at: clock.now()) {
                    state.failRequest(pendingID, failure)
                }
            }
            configuration.logger.warning("an edit cannot be sent: \(failure.message)")
        case .failed(discards: true):
            configuration.logger.warning("an edit is rolled back: \(failure.message)")
            for pendingID in state.requestGroup(of: number).reversed() {
                do throws(LayerRefusal) {
                    try rollBackNow(pendingID, library: nil)
                } catch {
                    // The rollback of a newer one took this one along.
                }
            }
            distribute()
        }
        followOutbox()
        scheduleFlush()
    }
}

extension MutationFailure {
    init(_ error: UpstreamError) {
        self.init(code: error.code.map { ByteString($0) }, message: ByteString(error.message))
    }
}

extension UpstreamError {
    /// Whether a mutation that got this error is sent again.
    var isWorthRetrying: Bool {
        if let retries { return retries }
        if !isRefusal { return true }
        return code.map { ["offline", "timed_out", "connection_lost"].contains($0) } ?? false
    }
}
