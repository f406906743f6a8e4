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

    /// - Precondition: No flush begins before it returns.
    func makeRoom() async {
        guard configuration.eviction.limitsBothTiers else { return }
        isDiskCrowded = false
        do throws(StorageError) {
            let excess = try await excess()
            guard excess.entityCount > 0 else {
                mayMakeRoom = false
                crowdedCount = 0
                return
            }
            guard mayEvict(excess.check) else { return }
            let leftBefore = leftCount
            try await evictEverywhere(excess, countMax: Int(min(excess.entityCount, Int64(roomEntityCountMax))))
            let isFruitful = leftCount > leftBefore
            if isFruitful { crowdedCount = min(crowdedCount, state.entityCount) }
            mayMakeRoom = mayMakeRoom && isFruitful
            isDiskRoomWanted = isDiskRoomWanted && isFruitful
            isDiskCrowded = excess.isDiskCrowded && isFruitful
        } catch {
            configuration.logger.error("no room was made: \(error)")
        }
    }

    /// Whether entities may leave both tiers now. Who is asked answers later: nothing waits for it but the room.
    private func mayEvict(_ check: EvictionCheck) -> Bool {
        guard let willEvict = configuration.eviction.willEvict, !mayMakeRoom else { return true }
        guard roomQuestion == nil, !isRoomVetoed else { return false }
        roomQuestion = spawn { [weak self] in
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
        flushTask = spawn { await self.makeFirstRoom() }
    }

    private func makeFirstRoom() async {
        await makeRoom()
        flushTask = nil
        scheduleFlush()
    }

    /// Returns when everything is written and nothing more has to go, or can.
    package func settleLimits() async throws(StorageError) {
        guard configuration.eviction.limitsBothTiers else { return }
        var evicted = -1
        repeat {
            evicted = evictedCount
            try await writeAll()
            beginMakingRoom()
            if let flushTask { await flushTask.value }
            if let roomQuestion {
                await roomQuestion.value
                if let flushTask { await flushTask.value }
            }
        } while evictedCount != evicted
    }

    /// Entities that go between two commits, at most: a quarter of what begins a flush, and at least 1,000, so that acknowledgements do not
    /// wait long for room. Under a limit of the disk as many as one flush brings: what both write fits into the log then.
    private var roomEntityCountMax: Int {
        let startCount = configuration.flush.startCount
        return configuration.eviction.diskByteCountMax != nil ? max(1, startCount) : max(1_000, startCount / 4)
    }

    private struct Excess {
        /// How many have to go; 0 when none has.
        var entityCount: Int64
        var check: EvictionCheck
        /// The database takes more than its limit.
        var isDiskCrowded = false
    }

    /// How many entities have to go. Bytes are counted as what an entity takes on average.
    private func excess() async throws(StorageError) -> Excess {
        let policy = configuration.eviction
        let ofCount = Excess(
            entityCount: Int64(excessCount),
            check: EvictionCheck(tier: .entities, count: state.entityCount, limit: policy.entityCountMax ?? .max))
        guard let byteCountMax = policy.diskByteCountMax else { return ofCount }
        var size = try await journal.size()
        let fileByteCount = size.fileByteCount
        if fileByteCount > byteCountMax {
            isDiskRoomWanted = true
            try await journal.shrink()
            size = try await journal.size()
        }
        let storedCount = state.storedCount
        let goal = Int64(policy.goal(ofLimit: Int(clamping: byteCountMax)))
        if isDiskRoomWanted, size.usedByteCount <= goal {
            isDiskRoomWanted = false
            // Pages that the last evictions freed are given back too, so that the database rests below its limit, not at it.
            if size.fileByteCount > goal { try await journal.shrink() }
        }
        guard isDiskRoomWanted, storedCount > 0 else { return ofCount }
        let each = max(1, size.usedByteCount / storedCount)
        let ofBytes = Excess(
            entityCount: min(storedCount, (size.usedByteCount - goal + each - 1) / each),
            check: EvictionCheck(tier: .disk, count: max(fileByteCount, size.usedByteCount), limit: byteCountMax),
            isDiskCrowded: size.usedByteCount > byteCountMax)
        return ofBytes.entityCount > ofCount.entityCount ? ofBytes : ofCount
    }

    /// First what only the journal has, which was not used for longest; then what is in memory. Where all that the journal alone has
    /// was looked at in vain, and little came since, memory goes first: else each commit would look at all of it again.
    private func evictEverywhere(_ excess: Excess, countMax: Int) async throws(StorageError) {
        var wantedCount = countMax
        let seenCount = fruitlessRowCount ?? 0
        let wasFruitless = seenCount > SyncCache.windowRowCounts.lowerBound && droppedCount < seenCount / 8
        if !wasFruitless { try await evictStored(&wantedCount) }
        await evictResident(&wantedCount, isForDisk: excess.check.tier == .disk)
        if wasFruitless, wantedCount > 0, droppedCount > 0 { try await evictStored(&wantedCount) }
    }

    private func evictStored(_ wantedCount: inout Int) async throws(StorageError) {
        let (countMax, onlyStoredCount) = (wantedCount, state.storedCount)
        var seenCount: Int64 = 0
        while wantedCount > 0, state.absentCount > 0, seenCount < onlyStoredCount {
            let bounds = SyncCache.windowRowCounts
            let windowCount = min(max(wantedCount * 4, bounds.lowerBound), bounds.upperBound)
            let rows = try await journal.rows(after: evictionHand, countMax: windowCount)
            let isWhole = evictionHand == nil && rows.count < windowCount
            evictionHand = rows.count < windowCount ? nil : rows.last?.stored.key
            seenCount += Int64(max(1, rows.count))
            // A part of a window has a part of the oldest: a quarter goes, the rest is looked at the next time round.
            let oldCountMax = isWhole ? wantedCount : min(wantedCount, max(1, rows.count / 4))
            let old = await evictable(await SyncCache.oldestFirst(rows), countMax: oldCountMax)
            wantedCount -= try await reduceStored(old.reducible)
            var rest = old.whole[...]
            while !rest.isEmpty {
                wantedCount -= await evicting { budget in
                    var count = 0
                    repeat {
                        count += state.evictEverywhere(rest.prefix(SliceBudget.entityCount), at: clock.now())
                        rest = rest.dropFirst(SliceBudget.entityCount)
                    } while !rest.isEmpty && !budget.isSpent
                    return count
                }
                await Task.yield()
            }
            if isWhole { break }
        }
        droppedCount = 0
        fruitlessRowCount = wantedCount == countMax ? Int(clamping: seenCount) : nil
    }

    /// - Parameter wantedCount: How many have to go. Fewer go where others, who made room meanwhile, left no more.
    func evictResident(_ wantedCount: inout Int, isForDisk: Bool) async {
        var unseenCount = state.residentCount
        while wantedCount > 0, unseenCount > 0 {
            wantedCount -= await evicting { budget in
                var count = 0
                repeat {
                    let countMax = min(wantedCount - count, isForDisk ? .max : excessCount)
                    let slice = state.evictResident(
                        countMax: countMax, seenCountMax: min(unseenCount, SliceBudget.entityCount),
                        isForDisk: isForDisk, at: clock.now())
                    count += slice.evictedCount
                    unseenCount -= slice.seenCount
                    if slice.seenCount == 0 { unseenCount = 0 }
                } while unseenCount > 0 && count < wantedCount && !budget.isSpent
                return count
            }
            await Task.yield()
        }
    }

    /// Entities above the limit of their number.
    var excessCount: Int {
        Int(clamping: max(0, state.entityCount - (configuration.eviction.entityCountMax ?? .max)))
    }

    /// Puts rows in the order of their last writes, beside the engine, so that a window of thousands holds up nobody.
    @concurrent private static func oldestFirst(_ rows: [StoredRowAge]) async -> [StoredRowAge] {
        rows.sorted { ($0.writtenAt, $0.stored.row) < ($1.writtenAt, $1.stored.row) }
    }

    /// Rows that may go, looked at in steps. What comes into memory between two of them is passed over when its turn comes.
    ///
    /// - Parameter rows: The oldest first.
    private func evictable(
        _ rows: [StoredRowAge], countMax: Int
    ) async -> (whole: [StoredRow], reducible: [StoredKey]) {
        var found: (whole: [StoredRow], reducible: [StoredKey]) = ([], [])
        var rest = rows[...]
        while !rest.isEmpty, found.whole.count + found.reducible.count < countMax {
            let more = state.evictable(
                Array(rest.prefix(SyncCache.lookedAtCountMax)),
                countMax: countMax - found.whole.count - found.reducible.count)
            rest = rest.dropFirst(SyncCache.lookedAtCountMax)
            found.whole += more.whole
            found.reducible += more.reducible
            await Task.yield()
        }
        return found
    }

    /// Rows that are looked for in memory in one step: 512.
    private static let lookedAtCountMax = 512

    /// Entities of which fields stay have to be read first: what is left of them is written.
    private func reduceStored(_ keys: [StoredKey]) async throws(StorageError) -> Int {
        var count = 0
        var rest = keys[...]
        while !rest.isEmpty {
            let slice = rest.prefix(SliceBudget.entityCount)
            rest = rest.dropFirst(SliceBudget.entityCount)
            count += try await withLoaded({ slice.filter { !state.isKnown($0) } }) {
                let count = state.reduce(slice, at: clock.now())
                recordLeavings(at: clock.now())
                evictedCount += count
                leftCount += count
                distribute()
                return count
            }
        }
        return count
    }

    /// Nothing goes between an entity's load and its use: who loads takes the same turn.
    ///
    /// - Parameter body: Goes on until its budget is spent, and says how many went.
    private func evicting(_ body: (SliceBudget) -> Int) async -> Int {
        if !loadTurn.takeAtOnce() { await withCheckedContinuation { loadTurn.wait($0) } }
        defer { loadTurn.giveBack() }
        let count = body(SliceBudget(configuration.stepClock))
        recordLeavings(at: clock.now())
        evictedCount += count
        leftCount += count
        distribute()
        return count
    }
}
