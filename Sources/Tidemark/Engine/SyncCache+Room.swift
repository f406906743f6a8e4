import Logging
import TidemarkModel
import TidemarkStore

/// Makes room in both tiers: the least recently used go from memory and disk. Laws: L8, L9.
///
/// It is done between two commits, by the task that wrote the first: so rows that are read from the journal are still those of their
/// keys when they go.
extension SyncCache {
    /// Rows that are read to find old ones among them: four times as many as have to go, within these bounds. Up to 1,000 entities
    /// the oldest of all are found.
    private static let windowRowCounts = 1_000...4_000
    /// Entities in memory that are looked at in one step: 500. Each may have to leave lists.
    private static let residentCountMax = 500

    /// - Precondition: No flush begins before it returns.
    func makeRoom() async {
        guard configuration.eviction.limitsBothTiers else { return }
        do throws(StorageError) {
            let excess = try await excess()
            guard excess.entityCount > 0, mayEvict(excess.check) else { return }
            let excessCount = excess.entityCount
            try await evictEverywhere(Int(min(excessCount, Int64(roomEntityCountMax))))
        } catch {
            configuration.logger.error("no room was made: \(error)")
        }
    }

    /// Whether entities may leave both tiers now. Who is asked answers later: nothing waits for it but the room.
    private func mayEvict(_ check: EvictionCheck) -> Bool {
        guard let willEvict = configuration.eviction.willEvict else { return true }
        defer { mayMakeRoom = false }
        if mayMakeRoom { return true }
        guard roomQuestion == nil, !isRoomVetoed else { return false }
        roomQuestion = Task { [weak self] in
            let isAllowed = await willEvict(check)
            await self?.roomAnswered(isAllowed)
        }
        return false
    }

    /// Room is made by the next task that may: nothing of what was asked about is used.
    private func roomAnswered(_ isAllowed: Bool) {
        roomQuestion = nil
        isRoomVetoed = !isAllowed
        mayMakeRoom = isAllowed
        if isAllowed { beginMakingRoom() }
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
            if let roomQuestion {
                await roomQuestion.value
                if let flushTask { await flushTask.value }
            }
        } while evictedCount != evicted
    }

    /// Entities that go between two commits, at most: a quarter of what begins a flush, and at least 1,000. So acknowledgements do not
    /// wait long for room, and bulk input does not outrun it.
    private var roomEntityCountMax: Int { max(1_000, configuration.flush.startCount / 4) }

    private struct Excess {
        /// How many have to go; 0 when none has.
        var entityCount: Int64
        var check: EvictionCheck
    }

    /// How many entities have to go. Bytes are counted as what an entity takes on average.
    private func excess() async throws(StorageError) -> Excess {
        let policy = configuration.eviction
        let entityCount = state.entityCount
        let limit = policy.entityCountMax ?? .max
        let ofCount = Excess(
            entityCount: max(0, entityCount - limit),
            check: EvictionCheck(tier: .entities, count: entityCount, limit: limit))
        guard let byteCountMax = policy.diskByteCountMax else { return ofCount }
        var size = try await journal.size()
        if size.fileByteCount > byteCountMax {
            try await journal.shrink()
            size = try await journal.size()
        }
        guard size.usedByteCount > byteCountMax, entityCount > 0 else { return ofCount }
        let goal = Int64(policy.goal(ofLimit: Int(clamping: byteCountMax)))
        let each = max(1, size.usedByteCount / entityCount)
        let ofBytes = Excess(
            entityCount: min(entityCount, (size.usedByteCount - goal + each - 1) / each),
            check: EvictionCheck(tier: .disk, count: size.usedByteCount, limit: byteCountMax))
        return ofBytes.entityCount > ofCount.entityCount ? ofBytes : ofCount
    }

    /// First what only the journal has, which was not used for longest; then what is in memory.
    private func evictEverywhere(_ excessCount: Int) async throws(StorageError) {
        var leftCount = excessCount
        var seenCount: Int64 = 0
        while leftCount > 0, state.absentCount > 0, seenCount < state.entityCount {
            let bounds = SyncCache.windowRowCounts
            let windowCount = min(max(leftCount * 4, bounds.lowerBound), bounds.upperBound)
            let rows = try await journal.rows(after: evictionHand, countMax: windowCount)
            let isWhole = evictionHand == nil && rows.count < windowCount
            evictionHand = rows.count < windowCount ? nil : rows.last?.stored.key
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
