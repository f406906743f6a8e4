import Logging
import TidemarkModel
import TidemarkStore

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
        let attempt = BegunAttempt(layer: start.number, number: entry.sending.attemptCount)
        outbox.begin(
            attempt, pendingID: pendingID, library: entry.library, generation: state.generation(of: entry.library))
        return attempt
    }

    /// Sends attempts, in order, once their counts are on the disk.
    func writeAndSend() async {
        while let begun = outbox.takeBegun() {
            await untilActive()
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
    }

    private func send(_ number: Int64, _ attempt: Int) {
        guard let server = outbox.server, let mutation = mutation(number, attempt) else {
            return outbox.endAttempt(number, attempt)
        }
        let added = state.requestChanges(of: number).filter { if case .put = $0.change { true } else { false } }
        let timer = outbox.timeout.map { timeout in
            spawn { [weak self, clock] in
                do {
                    try await clock.sleep(milliseconds: timeout)
                } catch {
                    return
                }
                await self?.timedOut(number, attempt, after: timeout)
            }
        }
        // A new log may have begun during the write. The response will be about the current log.
        outbox.send(
            number, generation: state.generation(of: mutation.library), added: Set(added.map(\.key)), timer: timer,
            task: spawn { await self.perform(number, attempt, mutation, server) })
    }

    private func perform(
        _ number: Int64, _ attempt: Int, _ mutation: SentMutation, _ upstream: any MutationUpstream
    ) async {
        do throws(UpstreamError) {
            let answer = try await upstream.send(mutation)
            await untilActive()
            await confirmed(number, attempt, answer)
        } catch {
            failed(number, attempt, MutationFailure(error), mayRetry: error.isWorthRetrying)
        }
    }

    private func mutation(_ number: Int64, _ attempt: Int) -> SentMutation? {
        guard outbox.isUnderWay(number, attempt), outbox.queue.isSending(number, attempt: attempt),
            let entry = outbox.queue.items[number]?.entry
        else { return nil }
        return SentMutation(
            pendingID: entry.pendingID, method: entry.sending.request.method,
            input: state.requestInput(of: number) ?? entry.sending.request.input, attempt: attempt,
            library: entry.library,
            changes: state.requestChanges(of: number).map { TransactionOperation($0.key, $0.change) })
    }

    private func timedOut(_ number: Int64, _ attempt: Int, after timeout: Int64) {
        let task = outbox.task(of: number, attempt)
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
        var commit = answer
        // If a new log has begun meanwhile, the response is older than that log.
        commit.generation = outbox.receive(number)
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
        guard let library = outbox.library(of: number, attempt) else { return }
        if !answer.realIDs.isEmpty, !outbox.isStopped {
            var ids = OptimisticCommit(pendingID: "", library: library, realIDs: answer.realIDs)
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
            do throws(LayerError) {
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
