import TidemarkModel
import TidemarkStore

extension SyncCache {
    /// Acknowledgements that wait for a slow reader; later ones include earlier ones.
    private static let acknowledgementCountMax = 256

    /// Announces an input, so that gaps do not expire while it has unread bytes and its lines are acknowledged.
    ///
    /// - Parameter readLineCount: For a reader that is ahead of ``ingest(_:)``: the lines it has taken from the input.
    package func openInput(
        hasUnread: @escaping @Sendable () -> Bool, readLineCount: @escaping @Sendable () -> Int64 = { 0 }
    ) -> (input: InputID, acknowledgements: AsyncStream<Acknowledgement>) {
        let input = InputID(nextInput)
        nextInput += 1
        hasInputEnded = false
        let (stream, continuation) = AsyncStream.makeStream(
            of: Acknowledgement.self, bufferingPolicy: .bufferingNewest(SyncCache.acknowledgementCountMax))
        inputs[input] = InputPosition(
            hasUnread: hasUnread, readLineCount: readLineCount, acknowledgements: continuation)
        return (input, stream)
    }

    /// The input ended; its acknowledgements end too.
    package func closeInput(_ input: InputID) {
        inputs.removeValue(forKey: input)?.acknowledgements.finish()
    }

    /// Applies a batch. Returns when the cache is ready for the next one.
    ///
    /// - Throws: ``StorageError`` when entities that the batch touches cannot be read; nothing of it was applied.
    package func ingest(_ batch: EventBatch) async throws(StorageError) {
        await takeTurn()
        defer { turn.giveBack() }
        await waitForRoom()
        try await withChange({ state.keysToLoad(for: batch) }) {
            apply(batch, 0..<batch.events.count)
            inputs[batch.input]?.lines = batch.firstLine + Int64(batch.lines.count) - 1
            // What is given up applies held events: their entities must be there still, and are only here.
            followGaps(ignoringWindow: false)
        }
        metrics.record(state.counts)
        scheduleFlush()
        await waitForWriting()
        await waitForUpstream()
        await recorder?.waitForRoom()
    }

    /// Applies the lines of some of a batch's events, for a caller that does something between them.
    ///
    /// - Parameter events: Ranges of one batch are given in order and without a gap; the last one takes the lines behind
    ///   its events too.
    /// - Throws: ``StorageError`` when entities that the batch touches cannot be read; nothing of the range was applied.
    package func ingest(_ batch: EventBatch, events: Range<Int>) async throws(StorageError) {
        await takeTurn()
        defer { turn.giveBack() }
        await waitForRoom()
        let lines = batch.lines(of: events)
        try await withChange({ state.keysToLoad(for: batch) }) {
            apply(batch, events)
            inputs[batch.input]?.lines = batch.firstLine + Int64(lines.upperBound) - 1
            followGaps(ignoringWindow: false)
        }
        metrics.record(state.counts)
        scheduleFlush()
        await waitForWriting()
        await recorder?.waitForRoom()
    }

    private func apply(_ batch: EventBatch, _ events: Range<Int>) {
        guard recorder == nil else { return applyRecorded(batch, events) }
        state.apply(batch, events: events, at: clock.now())
        distribute()
    }

    /// The last input ended: nothing comes late any more. Returns when nothing is missing.
    package func endOfInput() async throws(StorageError) {
        await takeTurn()
        defer { turn.giveBack() }
        while true {
            try await withLoaded({ state.keysToLoadForHeld() }) { followGaps(ignoringWindow: true) }
            let tasks = Array(reconcileTasks.values)
            if tasks.isEmpty || isClosed { break }
            for reconcile in tasks { await reconcile.task.value }
        }
        if inputs.count <= 1 {
            hasInputEnded = true
            releasePositionWaiters()
        }
        scheduleFlush()
    }

    func takeTurn() async {
        if turn.takeAtOnce() { return }
        await withCheckedContinuation { turn.wait($0) }
    }

    /// Reads entities that only the journal holds into memory, then uses them in the same step: nothing comes between,
    /// and nothing is evicted on the way. `body` reaches the state through the actor, so that it may call what does.
    ///
    /// An upstream's answer and the input's next batch may both want to read. They do so one after the other:
    ///
    ///     answer: reads x from the journal …                      … installs x as it was
    ///     batch:                              reads x, deletes it
    ///
    /// Whoever needs nothing read goes at once: what is not in memory is no business of his.
    func withLoaded<Result>(
        _ keys: () -> [StoredKey], _ body: () -> Result
    ) async throws(StorageError) -> Result {
        if keys().isEmpty { return body() }
        if !loadTurn.takeAtOnce() { await withCheckedContinuation { loadTurn.wait($0) } }
        loadingCount += 1
        defer {
            endLoading()
            loadTurn.giveBack()
        }
        // While one load is under way what is needed may grow; what the journal does not have is asked for once.
        var asked: Set<StoredKey> = []
        while true {
            let missing = keys().filter { !asked.contains($0) }
            if missing.isEmpty { break }
            asked.formUnion(missing)
            state.install(try await journal.load(missing))
        }
        return body()
    }

    /// As ``withLoaded(_:_:)``, for what changes something. Once the last flush has begun nothing does: it would be told as done, and
    /// be lost.
    func withChange<Result>(
        _ keys: () -> [StoredKey], _ body: () -> Result
    ) async throws(StorageError) -> Result {
        let result: Result? = try await withLoaded(keys) { isShut ? nil : body() }
        guard let result else {
            throw StorageError(.closed, "the cache was closed: nothing changed", advice: "open it again")
        }
        return result
    }

    /// Stops the reader while there is too much to write. Nobody is stopped once the cache closes: there is nothing more
    /// to come, and closing waits for who is on the way.
    func waitForWriting() async {
        while !isClosed,
            state.dirtyCount >= configuration.flush.changeCountMax
                || state.dirtyByteCount >= configuration.flush.byteCountMax || state.unwrittenTombstoneShare >= 0.5
        {
            startFlush()
            guard let flushTask else { break }
            await flushTask.value
        }
    }

    /// Whether a library holds all it may for an upstream's answer.
    package var isWaitingForUpstream: Bool { state.isFull && upstream != nil && !reconcileTasks.isEmpty }

    /// Stops the reader while too much is held for an upstream's answer.
    package func waitForUpstream() async {
        while state.isFull, upstream != nil, let reconcile = reconcileTasks.values.first {
            await reconcile.task.value
        }
    }
}
