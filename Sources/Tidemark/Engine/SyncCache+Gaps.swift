import Logging
import TidemarkModel
import TidemarkStore
import TidemarkWire

extension SyncCache {
    /// Checks for missing numbers. Asks upstreams for them, declares those lost that were awaited long enough, and sets
    /// a timer for the rest.
    ///
    /// - Precondition: The entities that ``/TidemarkStore/CacheState/keysToLoadForHeld()`` names were loaded in the
    ///   same step: declaring a gap lost applies its held events.
    func followGaps(ignoringWindow: Bool) {
        followLosses()
        guard state.isWatching else { return }
        let patience: CacheState.GapPatience =
            ignoringWindow ? .none : inputs.mayBringLateEvents ? .endless : .window
        let now = clock.now()
        let requests = recorded(.gaps(patience), at: now) {
            defer { distribute() }
            return state.expireGaps(at: now, patience: patience)
        }
        perform(requests)
        followLosses()
        guard timers.gap == nil, !isClosed, let deadline = state.nextGapDeadline else { return }
        // While input waits, the window cannot expire before that input is read. The next check follows after one
        // window.
        let delay =
            patience == .endless
            ? configuration.reorderWindow.wholeMilliseconds : max(1, deadline.subtractingClamped(clock.now()))
        timers.gap = spawn { [weak self, clock] in
            do {
                try await clock.sleep(milliseconds: delay)
            } catch {
                return
            }
            await self?.gapTimerFired()
        }
    }

    /// Checks the gaps while holding the lock for changes, so that this does not overtake a batch whose entities are
    /// being loaded.
    private func gapTimerFired() async {
        timers.gap = nil
        guard !isClosed else { return }
        await takeTurn()
        defer { turns.changes.release() }
        do throws(StorageError) {
            try await whileActive { () throws(StorageError) in
                try await withLoaded(for: [], { state.keysToLoadForHeld() }) { followGaps(ignoringWindow: false) }
            }
        } catch {
            // The gap stays open; the next batch, or the end of the input, checks it again.
            configuration.logger.error("held events wait: \(error)")
        }
        scheduleFlush()
    }

    /// Checks for missing numbers, at once if held events need no entities from the journal.
    private func followGapsOnceLoaded() {
        guard !state.keysToLoadForHeld().isEmpty || !state.sweeps(with: []).isEmpty else {
            return followGaps(ignoringWindow: false)
        }
        timers.gap?.cancel()
        timers.gap = spawn { [weak self] in await self?.gapTimerFired() }
    }

    func perform(_ requests: [ReconcileRequest]) {
        for request in requests {
            switch request {
            case .ask(let library, let sequence, let attempt):
                ask(library, from: sequence, attempt: attempt)
            case .wait(let library, let attempt, let milliseconds):
                wait(library, attempt: attempt, milliseconds: milliseconds)
            }
        }
    }

    private func ask(_ library: LibraryIndex, from sequence: EventSequence, attempt: UInt64) {
        guard let upstream, !isClosed else { return }
        let name = state.status(of: library).library
        let limits = configuration.limits
        configuration.logger.debug("asking for \(name) from \(sequence.rawValue) on")
        follow(attempt, of: library) {
            // A response is input like any other: before the next request the previous one is written and entities are
            // evicted to make room.
            await self.untilActive()
            await self.waitForWriting()
            await self.waitForRoom()
            let result: Result<([EventBatch], EventSequence?), UpstreamError>
            do throws(UpstreamError) {
                let answer = try await upstream.events(since: sequence, of: name)
                result = .success((try SyncCache.decode(answer, limits: limits), answer.coveredThrough))
            } catch {
                result = .failure(error)
            }
            await self.answered(result, library: library, attempt: attempt)
        }
    }

    private static func decode(
        _ answer: UpstreamResponse, limits: Limits
    ) throws(UpstreamError) -> [EventBatch] {
        do throws(WireError) {
            return try EventDecoder.batches(of: answer.lines, origin: answer.origin, limits: limits)
        } catch {
            throw UpstreamError("no memory to read an answer of \(answer.lines.count) bytes")
        }
    }

    /// Applies a response in one step. Runs while a caller that waits for it holds the lock for changes, or between two
    /// holders.
    private func answered(
        _ result: Result<([EventBatch], EventSequence?), UpstreamError>, library: LibraryIndex, attempt: UInt64
    ) async {
        let random = Double(configuration.random() >> 11) * 0x1p-53
        let wasHealing = state.isHealing(library, attempt: attempt)
        var batches: [EventBatch] = []
        if case .success((let answered, _)) = result { batches = answered }
        let requests: [ReconcileRequest]
        do throws(StorageError) {
            // A failure may be the final one. It then applies held events, which need their entities in memory like the
            // events of a response.
            requests = try await whileActive { () throws(StorageError) in
                try await withLoaded(for: batches, { state.keysToLoad(for: batches) }) {
                    applyAnswer(result, library: library, attempt: attempt, random: random)
                }
            }
        } catch {
            configuration.logger.error("an upstream's answer waits for the journal: \(error)")
            let name = state.status(of: library).library
            requests = recorded(.postponement(library: name, attempt: attempt), at: clock.now()) {
                state.postponeReconcile(of: library, attempt: attempt)
            }
        }
        finish(library, attempt, requests)
        var isAnswered = false
        switch result {
        case .success: isAnswered = true
        case .failure(let error): if wasHealing, !error.isFinal { upstreamRequests.unreached(library) }
        }
        followHealing(of: library, isAnswered: isAnswered)
    }

    private func applyAnswer(
        _ result: Result<([EventBatch], EventSequence?), UpstreamError>, library: LibraryIndex, attempt: UInt64,
        random: Double
    ) -> [ReconcileRequest] {
        let now = clock.now()
        let name = state.status(of: library).library
        switch result {
        case .success(let (batches, coveredThrough)):
            let step = RecordedStep.answer(
                library: name, attempt: attempt, random: random, events: batches, coveredThrough: coveredThrough)
            return recorded(step, at: now) {
                defer { distribute() }
                return state.applyAnswer(
                    batches, coveredThrough: coveredThrough, to: library, attempt: attempt, random: random, at: now)
            }
        case .failure(let error):
            configuration.logger.warning("upstream: \(error)")
            let step = RecordedStep.failure(
                library: name, attempt: attempt, random: random, isFinal: error.isFinal, message: error.message)
            return recorded(step, at: now) {
                defer { distribute() }
                return state.failReconcile(
                    of: library, attempt: attempt, isFinal: error.isFinal, random: random, at: now)
            }
        }
    }

    private func wait(_ library: LibraryIndex, attempt: UInt64, milliseconds: Int64) {
        guard !isClosed else { return }
        follow(attempt, of: library) { [clock] in
            do {
                try await clock.sleep(milliseconds: milliseconds)
            } catch {
                return
            }
            await self.untilActive()
            await self.resumed(library, attempt: attempt)
        }
    }

    private func follow(_ attempt: UInt64, of library: LibraryIndex, _ body: @escaping @Sendable () async -> Void) {
        upstreamRequests.cancel(library)
        upstreamRequests.began(attempt, of: library, spawn { await body() })
    }

    private func resumed(_ library: LibraryIndex, attempt: UInt64) {
        let now = clock.now()
        let name = state.status(of: library).library
        let requests = recorded(.resumption(library: name, attempt: attempt), at: now) {
            defer { distribute() }
            return state.resumeReconcile(of: library, attempt: attempt, at: now)
        }
        finish(library, attempt, requests)
        followHealing(of: library, isAnswered: false)
    }

    private func finish(_ library: LibraryIndex, _ attempt: UInt64, _ requests: [ReconcileRequest]) {
        upstreamRequests.ended(attempt, of: library)
        perform(requests)
        if !isClosed { followGapsOnceLoaded() }
        scheduleFlush()
    }
}
