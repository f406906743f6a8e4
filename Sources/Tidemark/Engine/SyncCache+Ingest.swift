import TidemarkModel
import TidemarkStore

extension SyncCache {
    /// The largest number of acknowledgements that wait for a slow reader. Later ones include the dropped ones.
    private static let acknowledgementCountMax = 256

    /// Opens an input. Its gaps do not expire while it has unread bytes, and its lines are acknowledged.
    ///
    /// - Parameters:
    ///   - hasUnread: Returns whether the input has bytes that nobody has read.
    ///   - readLineCount: Returns the number of lines that a reader ahead of ``ingest(_:)`` has taken from the input; 0
    ///     when no reader is ahead.
    package func openInput(
        hasUnread: @escaping @Sendable () -> Bool, readLineCount: @escaping @Sendable () -> Int64 = { 0 }
    ) -> (input: InputID, acknowledgements: AsyncStream<Acknowledgement>) {
        let (stream, continuation) = AsyncStream.makeStream(
            of: Acknowledgement.self, bufferingPolicy: .bufferingNewest(SyncCache.acknowledgementCountMax))
        let input = inputs.open(
            InputPosition(hasUnread: hasUnread, readLineCount: readLineCount, acknowledgements: continuation))
        return (input, stream)
    }

    /// Closes an input that has ended, and ends its acknowledgements.
    package func closeInput(_ input: InputID) {
        inputs.close(input)
    }

    /// Applies a batch. Returns when the cache is ready for the next one. Waits while the cache is suspended.
    ///
    /// - Throws: ``StorageError`` when entities of the batch cannot be loaded; then nothing of it was applied.
    package func ingest(_ batch: EventBatch) async throws(StorageError) {
        await takeTurn()
        defer { turns.changes.release() }
        try await whileActive { () throws(StorageError) in
            await waitForRoom()
            try await withChange(for: batch) {
                apply(batch, 0..<batch.events.count)
                inputs.applied(batch, lines: batch.lines.count)
                // Declaring numbers lost applies held events, whose entities are certain to be in memory only within
                // this step.
                followGaps(ignoringWindow: false)
            }
        }
        tallies.metrics.record(state.counts)
        scheduleFlush()
        await waitForWriting()
        await waitForUpstream()
        await recorder?.waitForRoom()
    }

    /// Applies the lines of some of a batch's events, for a caller that does other work in between.
    ///
    /// - Parameter events: A range of the batch's events. The ranges of one batch are passed in order and without a
    ///   gap; the last one includes the lines after its events.
    /// - Throws: ``StorageError`` when entities of the batch cannot be loaded; then nothing of the range was applied.
    package func ingest(_ batch: EventBatch, events: Range<Int>) async throws(StorageError) {
        await takeTurn()
        defer { turns.changes.release() }
        let end = batch.lines(of: events).upperBound
        try await whileActive { () throws(StorageError) in
            await waitForRoom()
            try await withChange(for: batch) {
                apply(batch, events)
                inputs.applied(batch, lines: end)
                followGaps(ignoringWindow: false)
            }
        }
        tallies.metrics.record(state.counts)
        scheduleFlush()
        await waitForWriting()
        await recorder?.waitForRoom()
    }

    private func apply(_ batch: EventBatch, _ events: Range<Int>) {
        guard recorder == nil else { return applyRecorded(batch, events) }
        guard !wings.areUnobserved else {
            state.apply(batch, events: events, at: clock.now())
            return distribute()
        }
        // A wing reads the current state, so its observers are notified of each event before the next one changes the
        // state.
        for event in events {
            state.apply(batch, events: event..<event + 1, at: clock.now())
            distribute()
        }
        if events.isEmpty { state.apply(batch, events: events, at: clock.now()) }
    }

    /// Ends the last input: no late events will arrive any more. Returns when no number is missing.
    ///
    /// - Throws: ``StorageError`` when entities of held events cannot be loaded.
    package func endOfInput() async throws(StorageError) {
        await takeTurn()
        defer { turns.changes.release() }
        while true {
            try await whileActive { () throws(StorageError) in
                try await withLoaded(for: [], { state.keysToLoadForHeld() }) { followGaps(ignoringWindow: true) }
            }
            let tasks = upstreamRequests.all
            if tasks.isEmpty || isClosed { break }
            for task in tasks { await task.value }
        }
        if inputs.ended() { releasePositionWaiters() }
        scheduleFlush()
    }

    /// Waits for the lock for loads.
    func takeLoadTurn() async {
        if turns.loads.takeAtOnce() { return }
        await withCheckedContinuation { turns.loads.wait($0) }
    }

    /// Waits for the lock for changes.
    func takeTurn() async {
        if turns.changes.takeAtOnce() { return }
        await withCheckedContinuation { turns.changes.wait($0) }
    }

    /// Loads entities that only the journal has, then uses them in the same step, so that they cannot change or be
    /// evicted in between. `body` reaches the state through the actor, so that it may call functions that do so too.
    ///
    /// An upstream's response and the next batch of the input may both need to load. Without the lock for loads, this
    /// could happen:
    ///
    ///     response: reads x from the journal …                      … installs x as it was
    ///     batch:                                reads x, deletes it
    ///
    /// A caller that needs nothing from the journal runs at once, because it uses only entities in memory.
    func withLoaded<Result>(
        _ keys: () -> [StoredKey], _ body: () -> Result
    ) async throws(StorageError) -> Result {
        if keys().isEmpty { return body() }
        await takeLoadTurn()
        turns.loads.begin()
        defer {
            endLoading()
            turns.loads.release()
        }
        // The set of needed keys may grow during a load. A key that the journal does not have is requested once.
        var asked: Set<StoredKey> = []
        while true {
            let missing = keys().filter { !asked.contains($0) }
            if missing.isEmpty { break }
            asked.formUnion(missing)
            state.install(try await loadFromJournal(missing))
        }
        return body()
    }

    /// Reads entities from the journal by key, and counts them.
    func loadFromJournal(_ keys: [StoredKey]) async throws(StorageError) -> LoadedEntities {
        let loaded = try await readingJournal { () throws(StorageError) in try await journal.load(keys) }
        tallies.read(loaded.entities.count, at: clock.now())
        return loaded
    }

    /// Does the same as ``withLoaded(_:_:)`` for a change. Once the last flush has begun, the change is refused: it
    /// would be reported as done and then be lost.
    ///
    /// - Parameter batches: The events that `body` applies, if any.
    func withChange<Result>(
        for batches: [EventBatch] = [], _ keys: () -> [StoredKey], _ body: () -> Result
    ) async throws(StorageError) -> Result {
        let result: Result? = try await withLoaded(for: batches, keys) { lifeCycle.acceptsChanges ? body() : nil }
        guard let result else {
            throw StorageError(.closed, "the cache was closed: nothing changed", advice: "open it again")
        }
        return result
    }

    /// Suspends the reader while too much is unwritten. Returns at once when the cache is closing: no more input
    /// follows, and closing waits for calls under way.
    func waitForWriting() async {
        while !isClosed,
            state.dirtyCount >= configuration.flush.changeCountMax
                || state.dirtyByteCount >= configuration.flush.byteCountMax || state.unwrittenTombstoneShare >= 0.5
        {
            startFlush()
            guard let flushTask = flushes.task else { break }
            await flushTask.value
        }
    }

    /// True if a library holds as many events as it may while it waits for an upstream's response.
    package var isWaitingForUpstream: Bool { state.isFull && upstream != nil && !upstreamRequests.isEmpty }

    /// Suspends the reader while too many events are held for an upstream's response.
    package func waitForUpstream() async {
        while state.isFull, upstream != nil, let request = upstreamRequests.first {
            await request.value
        }
    }
}
