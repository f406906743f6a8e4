import Logging
import TidemarkModel
import TidemarkStore

/// An attempt that was counted. It is sent once its count is on the disk.
struct BegunAttempt: Sendable {
    /// The number of the layer.
    var layer: Int64
    /// The number of the attempt.
    var number: Int
}

/// Attempts to send requests, and the responses to them.
extension SyncCache {
    /// Counts an attempt.
    ///
    /// - Returns: nil when the request is gone.
    func begin(_ start: OutboxQueue.Start) -> BegunAttempt? {
        let now = clock.now()
        guard let pendingID = outbox.queue.items[start.number]?.entry.pendingID else { return nil }
        let members = start.members.compactMap { outbox.queue.items[$0]?.entry.pendingID }
        recorded(.attempt(pendingID, members: members), at: now) {
            state.beginAttempt(pendingID, with: members, at: now)
        }
        takeOutboxChanges()
        guard let entry = outbox.queue.items[start.number]?.entry else { return nil }
        let attempt = entry.sending.attemptCount
        outbox.attempts[start.number] = OutboxDriver.Attempt(
            number: attempt, pendingID: pendingID, library: entry.library,
            generation: state.generation(of: entry.library))
        return BegunAttempt(layer: start.number, number: attempt)
    }

    /// Sends attempts, in order, once their counts are on the disk. One task writes for all of them, because the
    /// waiters of one flush resume in any order.
    func sendWhenWritten(_ begun: [BegunAttempt]) {
        outbox.begun += begun
        let task = outbox.writer ?? spawn { await self.writeAndSend() }
        outbox.writer = task
        for attempt in begun { outbox.attempts[attempt.layer]?.task = task }
    }

    private func writeAndSend() async {
        while !outbox.begun.isEmpty {
            let begun = outbox.begun
            outbox.begun = []
            do throws(StorageError) {
                try await writeAll()
                for attempt in begun { send(attempt.layer, attempt.number) }
            } catch {
                configuration.logger.warning("an edit is not sent before it is on the disk: \(error.message)")
                for attempt in begun {
                    outbox.endAttempt(attempt.layer, attempt.number)
                    outbox.queue.postpone(
                        attempt.layer, attempt: attempt.number, until: clock.now() + OutboxBackoff.first)
                }
            }
            // The end of an attempt that was not sent may release the next one of its key.
            followOutbox()
        }
        outbox.writer = nil
    }

    private func send(_ number: Int64, _ attempt: Int) {
        guard !outbox.isStopped, let upstream = outbox.upstream, let mutation = mutation(number, attempt) else {
            return outbox.endAttempt(number, attempt)
        }
        // A new log may have begun during the write. The response will be about the current log.
        outbox.attempts[number]?.generation = state.generation(of: mutation.library)
        let added = state.requestChanges(of: number).filter { if case .put = $0.change { true } else { false } }
        outbox.attempts[number]?.added = Set(added.map(\.key))
        outbox.attempts[number]?.hasLeft = true
        if let timeout = outbox.timeout {
            outbox.attempts[number]?.timer = spawn { [weak self, clock] in
                do {
                    try await clock.sleep(milliseconds: timeout)
                } catch {
                    return
                }
                await self?.timedOut(number, attempt, after: timeout)
            }
        }
        outbox.attempts[number]?.task = spawn { await self.perform(number, attempt, mutation, upstream) }
    }

    private func perform(
        _ number: Int64, _ attempt: Int, _ mutation: SentMutation, _ upstream: any MutationUpstream
    ) async {
        do throws(UpstreamError) {
            await confirmed(number, attempt, try await upstream.send(mutation))
        } catch {
            failed(number, attempt, MutationFailure(error), mayRetry: error.isWorthRetrying)
        }
    }

    private func mutation(_ number: Int64, _ attempt: Int) -> SentMutation? {
        guard outbox.attempts[number]?.number == attempt, outbox.queue.isSending(number, attempt: attempt),
            let entry = outbox.queue.items[number]?.entry
        else { return nil }
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
            return await confirmedLate(number, attempt, answer)
        }
        outbox.attempts[number]?.timer?.cancel()
        var commit = answer
        // If a new log has begun meanwhile, the response is older than that log.
        commit.generation = outbox.attempts[number]?.generation
        commit.pendingID = entry.pendingID
        commit.library = entry.library
        do throws(CacheError) {
            try await begin(commit)
            outbox.endAttempt(number, attempt)
            scheduleFlush()
        } catch {
            switch error.code {
            // The event settled the layer, or a host rolled it back, while the response was on its way.
            case .unknownPending:
                outbox.endAttempt(number, attempt)
                followOutbox()
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

    /// Processes a response whose edit has settled or was rolled back: only its real ids count.
    private func confirmedLate(_ number: Int64, _ attempt: Int, _ answer: OptimisticCommit) async {
        guard let own = outbox.attempts[number], own.number == attempt else { return }
        if !answer.realIDs.isEmpty, !outbox.isStopped {
            var ids = OptimisticCommit(pendingID: "", library: own.library, realIDs: answer.realIDs)
            ids.integerIDs = answer.integerIDs
            do throws(CacheError) {
                try await begin(ids)
            } catch {
                configuration.logger.warning("the real ids of a late answer are not used: \(error.message)")
            }
        }
        // Only now may the next request of the key be sent, with the real ids.
        outbox.endAttempt(number, attempt)
        followOutbox()
        scheduleFlush()
    }

    private func failed(_ number: Int64, _ attempt: Int, _ failure: MutationFailure, mayRetry: Bool) {
        outbox.endAttempt(number, attempt)
        guard !outbox.isStopped, !isClosed else { return }
        let verdict = outbox.queue.failed(
            number, attempt: attempt, failure.bounded, mayRetry: mayRetry, at: clock.now(),
            random: configuration.random())
        switch verdict {
        // The end of the attempt may release the next one of its key.
        case .ignored: break
        case .again:
            if let pendingID = outbox.queue.items[number]?.entry.pendingID {
                recorded(.attemptFailure(pendingID), at: clock.now()) { state.failAttempt(pendingID) }
            }
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
            discard(number, failure.bounded)
        }
        followOutbox()
        scheduleFlush()
    }

    /// Rolls back the edits that a request serves, and notifies the observer why they are gone.
    private func discard(_ number: Int64, _ failure: MutationFailure) {
        let gone = state.layersRolledBack(with: number)
        for pendingID in state.requestGroup(of: number).reversed() {
            do throws(LayerRefusal) {
                try rollBackNow(pendingID, library: nil)
            } catch {
                // The rollback of a newer edit has included this one.
            }
        }
        distribute()
        for layer in gone {
            outbox.observer?(
                OutboxStatus(
                    pendingID: layer.pendingID, library: layer.library, state: .discarded, attempt: layer.attempt,
                    failure: failure))
        }
    }
}

extension MutationFailure {
    init(_ error: UpstreamError) {
        self.init(code: error.code.map { ByteString($0) }, message: ByteString(error.message))
    }
}

extension UpstreamError {
    /// True if a mutation that got this error is to be sent again.
    var isWorthRetrying: Bool {
        if let retries { return retries }
        if !isRefusal { return true }
        return code.map { ["offline", "timed_out", "connection_lost"].contains($0) } ?? false
    }
}
