import TidemarkModel
import TidemarkStore

extension SyncCache {
    /// The number of acknowledgements that wait for a slow reader at most; later ones include earlier ones.
    private static let acknowledgementCountMax = 256

    /// Opens an input. Its gaps then do not expire while it has unread bytes, and its lines are acknowledged.
    ///
    /// - Parameter readLineCount: For a reader that is ahead of ``ingest(_:)``: returns the number of lines it has
    ///   taken from the input.
    package func openInput(
        hasUnread: @escaping @Sendable () -> Bool, readLineCount: @escaping @Sendable () -> Int64 = { 0 }
    ) -> (input: InputID, acknowledgements: AsyncStream<Acknowledgement>) {
        let (stream, continuation) = AsyncStream.makeStream(
            of: Acknowledgement.self, bufferingPolicy: .bufferingNewest(SyncCache.acknowledgementCountMax))
        let input = inputs.open(
            InputPosition(hasUnread: hasUnread, readLineCount: readLineCount, acknowledgements: continuation))
        return (input, stream)
    }

    /// Closes an input that has ended; its acknowledgements end too.
    package func closeInput(_ input: InputID) {
        inputs.close(input)
    }

    /// Applies a batch. Returns when the cache is ready for the next one.
    ///
    /// - Throws: ``StorageError`` when entities of the batch cannot be loaded; nothing of it was applied.
    package func ingest(_ batch: EventBatch) async throws(StorageError) {
        await takeTurn()
        defer { turns.changes.release() }
        await waitForRoom()
        try await withChange(for: batch) {
            apply(batch, 0..<batch.events.count)
            inputs.applied(batch, lines: batch.lines.count)
            // Numbers that are declared lost release held events: their entities are in memory only within this step.
            followGaps(ignoringWindow: false)
        }
        tallies.metrics.record(state.counts)
        scheduleFlush()
        await waitForWriting()
        await waitForUpstream()
        await recorder?.waitForRoom()
    }

    /// Applies the lines of some of a batch's events, for a caller that does other work between them.
    ///
    /// - Parameter events: The ranges of one batch are passed in order and without a gap; the last one includes the
    ///   lines after its events.
    /// - Throws: ``StorageError`` when entities of the batch cannot be loaded; nothing of the range was applied.
    package func ingest(_ batch: EventBatch, events: Range<Int>) async throws(StorageError) {
        await takeTurn()
        defer { turns.changes.release() }
        await waitForRoom()
        let end = batch.lines(of: events).upperBound
        try await withChange(for: batch) {
            apply(batch, events)
            inputs.applied(batch, lines: end)
            followGaps(ignoringWindow: false)
        }
        tallies.metrics.record(state.counts)
        scheduleFlush()
        await waitForWriting()
        await recorder?.waitForRoom()
    }

    private func apply(_ batch: EventBatch, _ events: Range<Int>) {
        guard recorder == nil else { return applyRecorded(batch, events) }
        guard graphHost.map({ $0.watcherCount > 0 }) == true else {
            state.apply(batch, events: events, at: clock.now())
            return distribute()
        }
        // A document is put together from the state as it is: observers are notified of each event before the next one
        // changes it.
        for event in events {
            state.apply(batch, events: event..<event + 1, at: clock.now())
            distribute()
        }
        if events.isEmpty { state.apply(batch, events: events, at: clock.now()) }
    }

    /// Ends the last input: no more late events come. Returns when no number is missing any more.
    package func endOfInput() async throws(StorageError) {
        await takeTurn()
        defer { turns.changes.release() }
        while true {
            try await withLoaded({ state.keysToLoadForHeld() }) { followGaps(ignoringWindow: true) }
            let tasks = upstreamRequests.all
            if tasks.isEmpty || isClosed { break }
            for task in tasks { await task.value }
        }
        if inputs.ended() { releasePositionWaiters() }
        scheduleFlush()
    }

    /// Takes the turn of loads.
    func takeLoadTurn() async {
        if turns.loads.takeAtOnce() { return }
        await withCheckedContinuation { turns.loads.wait($0) }
    }

    func takeTurn() async {
        if turns.changes.takeAtOnce() { return }
        await withCheckedContinuation { turns.changes.wait($0) }
    }

    /// Loads entities that only the journal holds, then uses them in the same step: nothing comes between, and nothing
    /// is evicted meanwhile. `body` reaches the state through the actor, so that it may call functions that do so too.
    ///
    /// An upstream's answer and the input's next batch may both need to load. They do so one after the other:
    ///
    ///     answer: reads x from the journal …                      … installs x as it was
    ///     batch:                              reads x, deletes it
    ///
    /// A caller that needs no load runs at once: it uses no entity that is not in memory.
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
        // During a load the set of needed keys may grow; a key that the journal does not have is asked for once.
        var asked: Set<StoredKey> = []
        while true {
            let missing = keys().filter { !asked.contains($0) }
            if missing.isEmpty { break }
            asked.formUnion(missing)
            state.install(try await loadFromJournal(missing))
        }
        return body()
    }

    /// Reads entities by key, and counts them.
    func loadFromJournal(_ keys: [StoredKey]) async throws(StorageError) -> LoadedEntities {
        let loaded = try await readingJournal { () throws(StorageError) in try await journal.load(keys) }
        tallies.read(loaded.entities.count, at: clock.now())
        return loaded
    }

    /// Does the same as ``withLoaded(_:_:)`` for a change. After the last flush has begun the change is refused: it
    /// would be reported as done, and be lost.
    func withChange<Result>(
        _ keys: () -> [StoredKey], _ body: () -> Result
    ) async throws(StorageError) -> Result {
        let result: Result? = try await withLoaded(keys) { lifeCycle.acceptsChanges ? body() : nil }
        guard let result else {
            throw StorageError(.closed, "the cache was closed: nothing changed", advice: "open it again")
        }
        return result
    }

    /// Stops the reader while there is too much to write. Returns at once when the cache closes: no more input comes,
    /// and closing waits for calls that are under way.
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

    /// Whether a library holds as many events as it may while it waits for an upstream's answer.
    package var isWaitingForUpstream: Bool { state.isFull && upstream != nil && !upstreamRequests.isEmpty }

    /// Stops the reader while too many events are held for an upstream's answer.
    package func waitForUpstream() async {
        while state.isFull, upstream != nil, let request = upstreamRequests.first {
            await request.value
        }
    }
}
