// Stage 7b of 7: changes → disk → acknowledgement. Before: CacheState.takeFlush. After: the journal. Laws: L5, L8.

import Logging
import TidemarkModel
import TidemarkStore

/// A flush, and what becomes durable once it is committed.
struct PendingFlush: Sendable {
    var flush: FlushBatch
    /// For each input, the last line that was applied when the flush was taken.
    var lines: [InputID: Int64]
    var libraries: [ByteString: EventSequence]
    /// The positions for the observer of durability; empty without one.
    var places: [DurablePlace]
}

extension SyncCache {
    /// Begins a flush when there is enough to write; otherwise sets a timer for one.
    func scheduleFlush() {
        guard !flushes.isUnderWay else { return }
        let unwritten = FlushSchedule.Unwritten(
            isAny: state.isUnwritten || hasUnwrittenAdditions, count: state.dirtyCount,
            byteCount: state.dirtyByteCount, tombstoneShare: state.unwrittenTombstoneShare)
        let maySetTimer = timers.flush == nil && !isClosed && !lifeCycle.isSuspended
        switch flushes.step(unwritten, policy: configuration.flush, maySetTimer: maySetTimer) {
        case .acknowledge: acknowledgeWritten()
        case .begin: startFlush()
        case .setTimer: setFlushTimer(waited: 0)
        case .none: break
        }
    }

    /// Acknowledges lines that caused no writes: their effects are on the disk already.
    private func acknowledgeWritten() {
        guard inputs.isAcknowledgementDue else { return }
        inputs.acknowledge(appliedLines(), cursors())
    }

    private func setFlushTimer(waited: Int64) {
        let interval = configuration.flush.interval.wholeMilliseconds
        timers.flush = spawn { [weak self, clock] in
            do {
                try await clock.sleep(milliseconds: interval)
            } catch {
                return
            }
            await self?.flushTimerFired(waited: waited + interval)
        }
    }

    private func flushTimerFired(waited: Int64) {
        timers.flush = nil
        if waited < configuration.flush.busyInterval.wholeMilliseconds, inputs.mayBringLateEvents {
            setFlushTimer(waited: waited)
        } else {
            startFlush()
        }
    }

    /// Passes all unwritten changes to the journal, unless a flush is under way. A failed flush is repeated first,
    /// after a pause: the journal has nothing of it, and later changes depend on it.
    ///
    /// - Parameter withCounts: Whether to write counts when nothing else is unwritten.
    func startFlush(withCounts: Bool = false) {
        guard !flushes.isUnderWay, !lifeCycle.isSuspended else { return }
        timers.cancelFlush()
        if flushes.awaitsOpening {
            flushes.began(spawn { await self.finishOpening() })
        } else if let failed = flushes.takeFailed() {
            let delay = flushes.retryDelay
            flushes.began(
                spawn { [clock] in
                    // Closing the cache ends the pause early; the attempt is made anyway.
                    do { try await clock.sleep(milliseconds: delay) } catch {}
                    await self.write(failed)
                })
        } else if state.isUnwritten || hasUnwrittenAdditions || withCounts && state.areCountsUnwritten {
            var flush = state.takeFlush()
            flush.attached = flushes.takeAttachedChanges() + wingRecords()
            flush.takenAt = clock.now()
            let pending = PendingFlush(flush: flush, lines: appliedLines(), libraries: cursors(), places: places())
            flushes.began(spawn { await self.write(pending) })
        }
    }

    /// Waits until the journal has found everything that it stores. If it found damage, every library becomes stale, in
    /// memory and with the first flush. An earlier flush would lose that.
    private func finishOpening() async {
        do throws(StorageError) {
            let loss = try await journal.finishOpening()
            flushes.openingEnded()
            if let loss {
                configuration.logger.error("the database was damaged: every library is stale")
                recorder?.end(because: "the database was damaged")
                state.noteStoredLoss(loss, at: clock.now())
                distribute()
            }
        } catch {
            await openingFailed(error)
        }
        flushes.ended()
        beginApprovedEviction()
        scheduleFlush()
    }

    private func openingFailed(_ error: StorageError) async {
        // A cache that closes with nothing to write does not wait for the opening to end.
        guard !Task.isCancelled else { return }
        flushes.openingFailed(error)
        if error.code == .damaged, await rebuildJournal() { return flushes.openingEnded() }
        configuration.logger.error("nothing is written until the journal can be read: \(error)")
        do { try await clock.sleep(milliseconds: flushes.retryDelay) } catch {}
    }

    private func write(_ pending: PendingFlush) async {
        let start = ContinuousClock.now
        do throws(StorageError) {
            try await journal.commit(pending.flush)
            recordFlush(since: start, isCommitted: true)
            committed(pending)
            await evictExcess()
            await releaseFreeSpace()
            flushes.ended()
            // The delegate may have answered while this flush waited.
            beginApprovedEviction()
            scheduleFlush()
            scheduleMemoryRelease()
        } catch {
            recordFlush(since: start, isCommitted: false)
            await failed(pending, error)
        }
    }

    private func recordFlush(since start: ContinuousClock.Instant, isCommitted: Bool) {
        let duration = ContinuousClock.now - start
        flushes.record(duration, isCommitted: isCommitted)
        tallies.metrics.recordFlush(duration, isCommitted: isCommitted)
        tallies.metrics.recordSizes(
            entityCount: state.entityCount, queryCount: state.queryCount, observerCount: observers.count,
            pendingCount: state.layerCount, memoryByteCount: state.memoryByteCount, evictionCount: evictedCount)
    }

    private func committed(_ pending: PendingFlush) {
        let isFirstAfterFailure = flushes.committed()
        tallies.wrote(pending.flush.rows, at: clock.now())
        state.flushCommitted()
        if isFirstAfterFailure { configuration.logger.notice("writing to the journal works again") }
        inputs.acknowledge(pending.lines, pending.libraries)
        progress.committed(pending.places)
        for wing in wings.all { wing.committed(in: self) }
        eviction.committed()
        checkMemory()
    }

    private func failed(_ pending: PendingFlush, _ error: StorageError) async {
        if flushes.failed(pending, error) {
            configuration.logger.error("nothing is acknowledged until the journal can be written: \(error)")
        }
        // The failed flush counts as under way until the journal is rebuilt: no other flush may begin before everything
        // is marked as unwritten.
        if error.code == .damaged { _ = await rebuildJournal() }
        flushes.ended()
        if !isClosed { startFlush() }
        beginApprovedEviction()
    }

    /// Moves a damaged database aside and marks everything in memory as unwritten, so that it is written into a new
    /// one.
    ///
    /// - Returns: True if there is a new database.
    private func rebuildJournal() async -> Bool {
        do throws(StorageError) {
            try await journal.rebuild()
        } catch {
            flushes.rebuildFailed(error)
            return false
        }
        journalWasReplaced(because: "the database was damaged and created anew")
        return true
    }

    /// Marks everything in memory as unwritten, because there is a new, empty database.
    ///
    /// - Parameter reason: Why a recording ends here.
    func journalWasReplaced(because reason: String) {
        let failed = flushes.takeFailed()?.flush
        let quarantine = failed?.quarantine ?? []
        flushes.putBack(failed?.attached ?? [])
        recorder?.end(because: reason)
        state.markAllUnwritten(quarantine: quarantine)
        wings.areUnrecorded = true
    }

    /// Returns the records of the wings that belong to the flush that is being taken.
    private func wingRecords() -> [any AttachedChange] {
        let isWhole = wings.areUnrecorded
        wings.areUnrecorded = false
        var changes: [any AttachedChange] = []
        if journal is any RecordStorage, !wings.areDerivedRecordsRemoved,
            !wings.all.contains(where: { $0.keepsDerivedRecords })
        {
            wings.areDerivedRecordsRemoved = true
            changes.append(DerivedRecordsRemoval())
        }
        for wing in wings.all { changes += wing.records(forFlush: isWhole, in: self) }
        return changes
    }

    /// True if nothing has changed since the cache was opened, so that the journal describes this very state.
    package var isAsStored: Bool {
        !state.isUnwritten && flushes.commitCount == 0 && !flushes.hasFailed
            && (!flushes.isUnderWay || flushes.awaitsOpening)
    }

    /// Returns when everything that was applied before the call is on the disk. Changes that are applied during the
    /// call may not be.
    ///
    /// ```swift
    /// let line = #"{"ResourceChanged":{"resource_type":"photo","resource":{"id":"1","stars":5}}}"#
    /// try await cache.ingest(Array(line.utf8))
    /// try await cache.flush()  // the photo survives a crash from here on
    /// ```
    ///
    /// - Throws: ``StorageError`` when the journal failed ``FlushPolicy/attemptCountMax`` times in a row; the cache
    ///   keeps trying. `.closed` after ``close()``; `.suspended` when something is unwritten in a suspended cache.
    public func flush() async throws(StorageError) {
        try checkStorageOpen()
        try await writeAll()
    }

    /// Does the same as ``flush()``, and also works while the cache is being closed.
    func writeAll() async throws(StorageError) {
        var attemptCount = 0
        // The current changes are in the flush under way, or in the next one.
        let isUnderWay = flushes.isUnderWay || flushes.hasFailed
        let goal = flushes.commitCount + (isUnderWay ? 1 : 0) + (isAnythingUnwritten ? 1 : 0)
        while flushes.commitCount < goal, isAnythingUnwritten || flushes.isUnderWay || flushes.hasFailed {
            if lifeCycle.isSuspended { throw SyncCache.suspendedRefusal }
            startFlush(withCounts: true)
            guard let flushTask = flushes.task else { break }
            await flushTask.value
            guard let error = flushes.error else { continue }
            attemptCount += 1
            if attemptCount >= configuration.flush.attemptCountMax { throw error }
        }
    }

    /// True if a flush would write anything.
    var isAnythingUnwritten: Bool {
        state.isUnwritten || state.areCountsUnwritten || hasUnwrittenAdditions
    }

    /// True if a flush would write something beside the entities.
    private var hasUnwrittenAdditions: Bool { flushes.hasAttachedChanges || wings.haveUnwrittenRecords }

    /// Returns, for each input, the last line that was applied with all lines before it.
    private func appliedLines() -> [InputID: Int64] {
        inputs.appliedLines { state.firstHeldLine(of: $0) }
    }

    private func cursors() -> [ByteString: EventSequence] {
        var cursors: [ByteString: EventSequence] = [:]
        for status in state.statuses { cursors[status.library] = status.cursor }
        return cursors
    }
}
