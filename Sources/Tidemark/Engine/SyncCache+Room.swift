import Logging
import TidemarkModel
import TidemarkStore

/// Makes room in both tiers: the least recently used go from memory and disk. Laws: L8, L9.
///
/// It is done between two commits, by the task that wrote the first: so rows that are read from the journal are still those of their
/// keys when they go.
extension SyncCache {
    /// Rows that are read to find old ones among them: 4,000. Below that many entities the oldest of all are found.
    private static let windowRowCount = 4_000
    /// Entities that go between two commits, at most, so that acknowledgements do not wait: 16,384.
    private static let roomEntityCountMax = 16_384
    /// Entities in memory that are looked at in one step: 500. Each may have to leave lists.
    private static let residentCountMax = 500

    /// - Precondition: No flush begins before it returns.
    func makeRoom() async {
        guard configuration.eviction.limitsBothTiers else { return }
        do throws(StorageError) {
            let excessCount = try await excessEntityCount()
            guard excessCount > 0 else { return }
            try await evictEverywhere(Int(min(excessCount, Int64(SyncCache.roomEntityCountMax))))
        } catch {
            configuration.logger.error("no room was made: \(error)")
        }
    }

    /// Makes room when nothing was committed yet, as after opening with lower limits.
    func beginMakingRoom() {
        guard flushTask == nil, configuration.eviction.limitsBothTiers else { return }
        flushTask = Task {
            await self.makeRoom()
            self.flushTask = nil
            self.scheduleFlush()
        }
    }

    /// Returns when everything is written and nothing more has to go, or can.
    package func settleLimits() async throws(StorageError) {
        guard configuration.eviction.limitsBothTiers else { return }
        var evicted = -1
        repeat {
            evicted = evictedCount
            try await flush()
            beginMakingRoom()
            if let flushTask { await flushTask.value }
        } while evictedCount != evicted
    }

    /// How many entities have to go. Bytes are counted as what an entity takes on average.
    private func excessEntityCount() async throws(StorageError) -> Int64 {
        let policy = configuration.eviction
        let entityCount = state.entityCount
        var excess = policy.entityCountMax.map { entityCount - $0 } ?? 0
        guard let byteCountMax = policy.diskByteCountMax else { return excess }
        var size = try await journal.size()
        if size.fileByteCount > byteCountMax {
            try await journal.shrink()
            size = try await journal.size()
        }
        guard size.usedByteCount > byteCountMax, entityCount > 0 else { return excess }
        let goal = Int64(policy.goal(ofLimit: Int(clamping: byteCountMax)))
        let each = max(1, size.usedByteCount / entityCount)
        excess = max(excess, (size.usedByteCount - goal + each - 1) / each)
        return min(excess, entityCount)
    }

    /// First what only the journal has, which was not used for longest; then what is in memory.
    private func evictEverywhere(_ excessCount: Int) async throws(StorageError) {
        var leftCount = excessCount
        var seenCount: Int64 = 0
        while leftCount > 0, state.absentCount > 0, seenCount < state.entityCount {
            let rows = try await journal.rows(after: evictionHand, countMax: SyncCache.windowRowCount)
            let isWhole = evictionHand == nil && rows.count < SyncCache.windowRowCount
            evictionHand = rows.count < SyncCache.windowRowCount ? nil : rows.last?.stored.key
            seenCount += Int64(max(1, rows.count))
            // A part of a window has a part of the oldest: a quarter goes, the rest is looked at the next time round.
            let countMax = isWhole ? leftCount : min(leftCount, max(1, rows.count / 4))
            leftCount -= await evicting {
                state.evictEverywhere(state.evictable(rows).prefix(countMax), at: clock.now())
            }
            if isWhole { break }
        }
        var unseenCount = state.residentCount
        while leftCount > 0, unseenCount > 0 {
            leftCount -= await evicting {
                let slice = state.evictResident(
                    countMax: leftCount, seenCountMax: min(unseenCount, SyncCache.residentCountMax), at: clock.now())
                unseenCount -= slice.seenCount
                return slice.evictedCount
            }
            await Task.yield()
        }
    }

    /// Nothing goes between an entity's load and its use: who loads takes the same turn.
    private func evicting(_ body: () -> Int) async -> Int {
        if !loadTurn.takeAtOnce() { await withCheckedContinuation { loadTurn.wait($0) } }
        defer { loadTurn.giveBack() }
        let count = body()
        evictedCount += count
        distribute()
        return count
    }
}
