import Logging
import TidemarkModel
import TidemarkStore

/// Sends the requests of pending edits.
///
/// A request is sent only once its layer and the count of the attempt are on the disk. After a restart the cache
/// therefore has every edit that has reached the server, and never takes a sent request for one that was not sent.
///
/// - Source: Protocol/optimistic.md, the outbox.
extension SyncCache {
    /// Begins to send the requests of pending edits.
    ///
    /// - Parameters:
    ///   - upstream: The server; nil sends nothing.
    ///   - timeout: How long an attempt waits for a response, in milliseconds; nil when the upstream ends it.
    ///   - observer: Called on the cache's executor with each status that changes from now on; must not block.
    package func startOutbox(
        _ upstream: (any MutationUpstream)?, timeout: Int64?, observer: (@Sendable (OutboxStatus) -> Void)? = nil
    ) {
        outbox.start(upstream, timeout: timeout, observer: observer)
        followOutbox()
    }

    /// Stops sending requests of edits until ``resumeOutbox()``, or until the cache is opened again. Attempts under way
    /// end as usual.
    ///
    /// ```swift
    /// await cache.pauseOutbox()  // for example on a metered connection
    /// ```
    public func pauseOutbox() {
        outbox.queue.pause()
    }

    /// Sends requests of edits again. Those that wait for their next attempt are sent at once.
    ///
    /// ```swift
    /// await cache.resumeOutbox()  // for example when the network is back
    /// ```
    public func resumeOutbox() {
        outbox.queue.resume()
        followOutbox()
    }

    /// Returns the progress of the edits that have a request, oldest first.
    ///
    /// ```swift
    /// for status in await cache.outboxStatuses() where status.state == .failed {
    ///     print(status.pendingID, status.failure?.message ?? "")
    /// }
    /// ```
    ///
    /// - Parameter library: The library; nil for all libraries.
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

    /// Does the first half of ``retry(_:)``: a failed request is queued with all its attempts, and one that waits is
    /// queued now.
    ///
    /// - Throws: ``CacheError``: `unknownPending`; `invalidParams` for an edit without a request.
    package func beginRetry(_ pendingID: ByteString, library: ByteString? = nil) throws(CacheError) {
        try checkChangeable()
        let number: Int64?
        do throws(LayerError) {
            number = try recorded(.retry(pendingID, library: library), at: clock.now()) { () throws(LayerError) in
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

    /// Stops sending for good, and ignores the errors of attempts under way.
    package func stopOutbox() {
        outbox.stop()
        timers.outbox?.task.cancel()
    }

    /// Returns when every attempt under way has ended.
    ///
    /// - Precondition: The upstream can no longer be reached, and ends all attempts.
    package func drainOutbox() async {
        while let (layer, number, task) = outbox.someTask {
            await task?.value
            outbox.endAttempt(layer, number, ifStill: task)
        }
    }

    /// Returns the entities that the edit of an attempt adds, and whether the edit is still pending.
    ///
    /// - Returns: nil when nobody waits for the attempt's response any more.
    package func addedKeys(by mutation: SentMutation) -> (keys: Set<EntityKey>, isPending: Bool)? {
        guard let (layer, added) = outbox.sent(mutation) else { return nil }
        return (added, outbox.queue.isSending(layer, attempt: mutation.attempt))
    }

    // MARK: Following the layers

    /// Processes changes of requests, sends those that may be sent, and notifies the observer.
    ///
    /// Called in the same step as the change. Changes of layers that this causes are processed here, not by another
    /// call.
    func followOutbox() {
        guard outbox.beginFollowing() else { return }
        takeOutboxChanges()
        if outbox.server != nil, !isClosed {
            var begun: [BegunAttempt] = []
            while let start = outbox.queue.next() {
                if let attempt = begin(start) { begun.append(attempt) }
            }
            if !begun.isEmpty { outbox.enqueue(begun) { spawn { await self.writeAndSend() } } }
            setOutboxTimer()
        }
        outbox.endFollowing()
        for status in outbox.takeNews() { outbox.observer?(status) }
    }

    func takeOutboxChanges() {
        guard state.hasOutboxChanges else { return }
        for change in state.takeOutboxChanges() {
            if let entry = change.entry {
                outbox.queue.put(entry)
            } else {
                outbox.remove(change.number, isUnanswered: change.isUnanswered)
            }
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
}
