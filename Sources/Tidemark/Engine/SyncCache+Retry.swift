import Logging
import TidemarkModel
import TidemarkStore
import TidemarkWire

extension SyncCache {
    /// What became of quarantined records that were read again.
    package struct RetryCounts: Sendable {
        /// They took effect and left quarantine.
        package var applied = 0
        /// They could be used, but something newer is stored; they left quarantine.
        package var superseded = 0
        /// They stay: refused again, kept only in part, or a member of a batch, which means nothing by itself.
        package var refused = 0
    }

    /// Reads quarantined lines again, as after an update or with other limits.
    ///
    /// - Parameter records: As a reader gives them.
    /// - Throws: ``StorageError`` when entities that a line touches cannot be read; earlier records are done.
    package func retry(_ records: [QuarantineRecord]) async throws(StorageError) -> RetryCounts {
        await takeTurn()
        defer { turn.giveBack() }
        var outcome = RetryCounts()
        for record in records {
            guard record.kind == .line, record.isComplete, let batch = decode(record.bytes) else {
                outcome.refused += 1
                continue
            }
            try await withLoaded({ state.keysToLoad(for: batch) }) {
                switch state.retry(batch, of: record, at: clock.now()) {
                case .applied: outcome.applied += 1
                case .superseded: outcome.superseded += 1
                case .refused: outcome.refused += 1
                }
                distribute()
            }
        }
        try await withLoaded({ state.keysToLoadForHeld() }) { followGaps(ignoringWindow: false) }
        scheduleFlush()
        return outcome
    }

    /// One line as a batch; nil when it is none, or memory is short.
    private func decode(_ line: [UInt8]) -> EventBatch? {
        do throws(WireError) {
            return try EventDecoder.batches(of: line, limits: configuration.limits).first
        } catch {
            configuration.logger.error("no memory to read a quarantined line of \(line.count) bytes")
            return nil
        }
    }
}
