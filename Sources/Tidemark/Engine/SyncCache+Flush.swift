// Stage 7b of 7: changes → disk → acknowledgement. Before: CacheState.takeFlush. After: the journal. Laws: L5, L8.

import Logging
import TidemarkModel
import TidemarkStore

/// A flush and what is durable once it is committed.
struct PendingFlush: Sendable {
    var flush: FlushBatch
    /// Lines by input that were applied when it was taken.
    var lines: [InputID: Int64]
    var libraries: [ByteString: EventSequence]
    /// For the observer of what becomes durable; empty without one.
    var places: [DurablePlace]
}

extension SyncCache {
    /// Begins a flush when there is enough to write, else sees to it that one begins in time.
    func scheduleFlush() {
        guard flushTask == nil else { return }
        if failedFlush == nil, !state.isUnwritten { return acknowledgeWritten() }
        let policy = configuration.flush
        if state.dirtyCount >= policy.startCount || state.dirtyByteCount >= policy.byteCountMax
            || state.unwrittenTombstoneShare >= 0.25
        {
            startFlush()
        } else if flushTimer == nil, !isClosed, state.isUnwritten {
            setFlushTimer(waited: 0)
        }
    }

    /// Acknowledges lines that left nothing to be written: what they found is on the disk.
    private func acknowledgeWritten() {
        guard inputs.values.contains(where: { $0.lines > $0.acknowledged }) else { return }
        acknowledge(appliedLines(), cursors())
    }

    private func setFlushTimer(waited: Int64) {
        let interval = configuration.flush.interval
        flushTimer = spawn { [weak self, clock] in
            do {
                try await clock.sleep(milliseconds: interval)
            } catch {
                return
            }
            await self?.flushTimerFired(waited: waited + interval)
        }
    }

    private func flushTimerFired(waited: Int64) {
        flushTimer = nil
        if waited < configuration.flush.busyInterval, inputs.values.contains(where: \.mayBringLateEvents) {
            setFlushTimer(waited: waited)
        } else {
            startFlush()
        }
    }

    /// Hands everything unwritten to the journal, unless it has its hands full. A flush that failed goes first,
    /// after a pause: the journal has nothing of it, and what came later builds on it.
    ///
    /// - Parameter withCounts: Counts are written even if nothing else is.
    func startFlush(withCounts: Bool = false) {
        guard flushTask == nil else { return }
        flushTimer?.cancel()
        flushTimer = nil
        if let failed = failedFlush {
            failedFlush = nil
            let delay = SyncCache.retryDelay(afterFailures: failedAttemptCount)
            flushTask = spawn { [clock] in
                // Cut short when the cache closes; the attempt is made all the same.
                do { try await clock.sleep(milliseconds: delay) } catch {}
                await self.write(failed)
            }
        } else if state.isUnwritten || withCounts && state.areCountsUnwritten {
            var flush = state.takeFlush()
            flush.takenAt = clock.now()
            let pending = PendingFlush(flush: flush, lines: appliedLines(), libraries: cursors(), places: places())
            flushTask = spawn { await self.write(pending) }
        }
    }

    /// 50 ms, doubled with each failure in a row up to 5 s.
    static func retryDelay(afterFailures count: Int) -> Int64 {
        min(50 << min(count - 1, 10), 5_000)
    }

    private func write(_ pending: PendingFlush) async {
        let start = ContinuousClock.now
        do throws(StorageError) {
            try await journal.commit(pending.flush)
            recordFlush(since: start, isCommitted: true)
            committed(pending)
            await makeRoom()
            await giveBackFree()
            flushTask = nil
            scheduleFlush()
            scheduleMemoryRelease()
        } catch {
            recordFlush(since: start, isCommitted: false)
            await failed(pending, error)
        }
    }

    private func recordFlush(since start: ContinuousClock.Instant, isCommitted: Bool) {
        metrics.recordFlush(ContinuousClock.now - start, isCommitted: isCommitted)
        metrics.recordSizes(
            entityCount: state.entityCount, queryCount: state.queryCount, observerCount: observers.count,
            pendingCount: state.layerCount, memoryByteCount: state.memoryByteCount, evictionCount: evictedCount)
    }

    private func committed(_ pending: PendingFlush) {
        commitCount += 1
        state.flushCommitted()
        if storageError != nil {
            configuration.logger.notice("the journal is written again")
            storageError = nil
            failedAttemptCount = 0
        }
        acknowledge(pending.lines, pending.libraries)
        tellDurable(pending.places)
        keptCount = 0
        isMemoryVetoed = false
        isRoomVetoed = false
        checkMemory()
    }

    private func acknowledge(_ lines: [InputID: Int64], _ libraries: [ByteString: EventSequence]) {
        for (input, lines) in lines {
            guard let position = inputs[input], lines > position.acknowledged else { continue }
            inputs[input]?.acknowledged = lines
            position.acknowledgements.yield(Acknowledgement(lines: lines, libraries: libraries))
        }
    }

    private func failed(_ pending: PendingFlush, _ error: StorageError) async {
        if storageError?.code != error.code {
            configuration.logger.error("nothing is acknowledged until the journal is written again: \(error)")
        }
        storageError = error
        failedAttemptCount += 1
        failedFlush = pending
        // Until the journal is made anew the failed flush counts as under way: no other may get in before all is unwritten.
        if error.code == .damaged { await rebuildJournal() }
        flushTask = nil
        if !isClosed { startFlush() }
    }

    /// The database turned out to be damaged: it is put aside, and what memory holds goes into a new one.
    private func rebuildJournal() async {
        do throws(StorageError) {
            try await journal.rebuild()
        } catch {
            storageError = error
            return
        }
        let quarantine = failedFlush?.flush.quarantine ?? []
        failedFlush = nil
        recorder?.end(because: "the database was damaged and made anew")
        state.markAllUnwritten(quarantine: quarantine)
    }

    /// Returns when everything applied so far is on the disk; what is applied meanwhile may not be.
    ///
    /// - Throws: ``StorageError`` when the journal failed `attemptCountMax` times in a row; it goes on trying. `.closed` once the cache
    ///   was closed.
    public func flush() async throws(StorageError) {
        try checkStorageOpen()
        try await writeAll()
    }

    /// Writes as ``flush()`` does, while the cache is being closed too.
    func writeAll() async throws(StorageError) {
        var attemptCount = 0
        // What there is now goes with the flush under way and with the next one.
        let isUnderWay = flushTask != nil || failedFlush != nil
        let goal = commitCount + (isUnderWay ? 1 : 0) + (isAnythingUnwritten ? 1 : 0)
        while commitCount < goal, isAnythingUnwritten || flushTask != nil || failedFlush != nil {
            startFlush(withCounts: true)
            guard let flushTask else { break }
            await flushTask.value
            guard let storageError else { continue }
            attemptCount += 1
            if attemptCount >= configuration.flush.attemptCountMax { throw storageError }
        }
    }

    private var isAnythingUnwritten: Bool { state.isUnwritten || state.areCountsUnwritten }

    /// For each input the last line that, with all before it, was applied.
    private func appliedLines() -> [InputID: Int64] {
        var lines: [InputID: Int64] = [:]
        for (input, position) in inputs {
            lines[input] = state.firstHeldLine(of: input).map { min($0 - 1, position.lines) } ?? position.lines
        }
        return lines
    }

    private func cursors() -> [ByteString: EventSequence] {
        var cursors: [ByteString: EventSequence] = [:]
        for status in state.statuses { cursors[status.library] = status.cursor }
        return cursors
    }
}
