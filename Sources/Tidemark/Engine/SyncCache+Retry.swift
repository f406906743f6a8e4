import Logging
import TidemarkModel
import TidemarkStore
import TidemarkWire

extension SyncCache {
    /// How many quarantined records were retried, by outcome.
    package struct RetryCounts: Sendable {
        /// Records that took effect and were removed from quarantine.
        package var applied = 0
        /// Records that were usable but older than the stored data. They were removed from quarantine.
        package var superseded = 0
        /// Records that stay in quarantine: refused again, kept only in part, or members of a batch, which mean nothing
        /// alone.
        package var refused = 0

        /// The number of records that were retried.
        package var total: Int { applied + superseded + refused }
    }

    /// Reads quarantined lines again, for example after an update or with other limits.
    ///
    /// - Parameter records: Records as ``quarantine(_:)`` returns them.
    /// - Throws: ``StorageError`` when entities of a line cannot be loaded; earlier records stay done.
    package func retry(_ records: [QuarantineRecord]) async throws(StorageError) -> RetryCounts {
        try checkStorageChangeable()
        await takeTurn()
        defer { turns.changes.release() }
        var outcome = RetryCounts()
        for record in records {
            guard record.kind == .line, record.isComplete, let batch = decode(record.bytes) else {
                outcome.refused += 1
                continue
            }
            switch try await retryNow(record, batch) {
            case .applied: outcome.applied += 1
            case .superseded: outcome.superseded += 1
            case .refused: outcome.refused += 1
            }
        }
        try await withLoaded(for: [], { state.keysToLoadForHeld() }) { followGaps(ignoringWindow: false) }
        scheduleFlush()
        return outcome
    }

    /// Reads one quarantined record again, as a step of a recording.
    func replayRetry(_ record: QuarantineRecord) async throws(StorageError) {
        guard let batch = decode(record.bytes) else { return }
        _ = try await retryNow(record, batch)
    }

    private func retryNow(
        _ record: QuarantineRecord, _ batch: EventBatch
    ) async throws(StorageError) -> CacheState.RetryOutcome {
        try await withChange(for: [batch], { state.keysToLoad(for: batch) }) {
            let now = clock.now()
            return recorded(.quarantineRetry(record), at: now) {
                defer { distribute() }
                return state.retry(batch, of: record, at: now)
            }
        }
    }

    /// Decodes one line as a batch; nil when there is no line, or when memory runs out.
    private func decode(_ line: [UInt8]) -> EventBatch? {
        do throws(WireError) {
            return try EventDecoder.batches(of: line, limits: configuration.limits).first
        } catch {
            configuration.logger.error("no memory to read a quarantined line of \(line.count) bytes")
            return nil
        }
    }
}
