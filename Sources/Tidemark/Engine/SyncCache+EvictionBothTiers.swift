import Logging
import TidemarkModel
import TidemarkStore

/// Evicts the least recently used entities from both tiers, memory and disk. Laws: L8, L9.
///
/// The task that wrote a flush evicts before the next flush begins, so that rows that were read from the journal still
/// belong to their keys when they are evicted.
extension SyncCache {
    /// - Precondition: No flush begins before this returns.
    func evictExcess() async {
        guard configuration.eviction.limitsBothTiers else { return }
        eviction.pressure.begin()
        do throws(StorageError) {
            let excess = try await excess()
            guard excess.entityCount > 0 else {
                eviction.tierConsent.complete()
                eviction.pressure.met()
                return
            }
            guard mayEvict(excess.check) else { return }
            let countBefore = eviction.pressure.evictedCount
            try await evictEverywhere(excess, countMax: Int(min(excess.entityCount, Int64(roomEntityCountMax))))
            let isFruitful = eviction.pressure.ended(
                countBefore: countBefore, isAboveDiskLimit: excess.isAboveDiskLimit, entityCount: state.entityCount)
            if !isFruitful { eviction.tierConsent.complete() }
        } catch {
            configuration.logger.error("eviction failed: \(error)")
        }
    }

    /// Returns true if entities may be evicted from both tiers now. If a delegate has to be asked, its answer begins an
    /// eviction of its own.
    private func mayEvict(_ check: EvictionCheck) -> Bool {
        let willEvict = configuration.eviction.willEvict
        switch eviction.tierConsent.request(hasDelegate: willEvict != nil) {
        case .evict: return true
        case .skip: return false
        case .ask:
            guard let willEvict else { return true }
            eviction.tierQuestion = spawn { [weak self] in
                let isAllowed = await willEvict(check)
                await self?.evictionAnswered(isAllowed)
            }
            return false
        }
    }

    /// Uses the delegate's answer only to decide whether to evict: the state may have changed since it was asked, so
    /// the eviction computes its own excess.
    private func evictionAnswered(_ isAllowed: Bool) {
        eviction.tierQuestion = nil
        eviction.tierConsent.answered(isAllowed)
        beginApprovedEviction()
    }

    /// Begins an eviction that the delegate approved, unless a flush is under way, whose end calls this again. After a
    /// failed flush the next commit evicts.
    func beginApprovedEviction() {
        guard isActive, !flushes.isUnderWay, !flushes.hasFailed, eviction.tierConsent.takeOwed() else { return }
        beginEvicting()
    }

    /// Begins an eviction without waiting for a commit, for example after opening with lower limits.
    func beginEvicting() {
        guard !flushes.isUnderWay, !lifeCycle.isSuspended, configuration.eviction.limitsBothTiers else { return }
        flushes.began(spawn { await self.evictFirst() })
    }

    private func evictFirst() async {
        await evictExcess()
        flushes.ended()
        beginApprovedEviction()
        scheduleFlush()
    }

    /// Returns when everything is written and nothing more has to be evicted, or can be.
    ///
    /// - Throws: ``StorageError`` when the journal cannot be written.
    package func enforceLimits() async throws(StorageError) {
        guard configuration.eviction.limitsBothTiers else { return }
        var evicted = -1
        repeat {
            evicted = evictedCount
            try await writeAll()
            // The eviction after a commit leaves removals to be written. Until they are, the database is larger than
            // its entities need, and another eviction would evict too many.
            guard evictedCount == evicted else { continue }
            beginEvicting()
            if let flushTask = flushes.task { await flushTask.value }
            if let question = eviction.tierQuestion {
                await question.value
                if let flushTask = flushes.task { await flushTask.value }
            }
        } while evictedCount != evicted
    }

    /// The largest number of entities that are evicted between two commits: a quarter of the changes that begin a
    /// flush, and at least 1,000, so that acknowledgements do not wait long. Under a disk limit, as many as one flush
    /// writes; then the writes of both fit into the log.
    private var roomEntityCountMax: Int {
        let startCount = configuration.flush.startCount
        return configuration.eviction.diskByteCountMax != nil ? max(1, startCount) : max(1_000, startCount / 4)
    }

    private struct Excess {
        /// The number of entities to evict; 0 when there is no excess.
        var entityCount: Int64
        var check: EvictionCheck
        /// True if the database is larger than its limit.
        var isAboveDiskLimit = false
    }

    /// Computes how many entities have to be evicted. An excess of bytes is converted by the average size of an entity.
    private func excess() async throws(StorageError) -> Excess {
        let policy = configuration.eviction
        let ofCount = Excess(
            entityCount: Int64(excessCount),
            check: EvictionCheck(tier: .entities, count: state.entityCount, limit: policy.entityCountMax ?? .max))
        guard let byteCountMax = policy.diskByteCountMax else { return ofCount }
        var size = try await journal.size()
        let fileByteCount = size.fileByteCount
        if fileByteCount > byteCountMax {
            eviction.pressure.passedDiskLimit()
            try await journal.shrink()
            size = try await journal.size()
        }
        let storedCount = state.storedCount
        let goal = Int64(policy.goal(ofLimit: Int(clamping: byteCountMax)))
        // Data beside the entities, such as HTTP responses, is removed before entities are evicted: the server can send
        // it again.
        if eviction.pressure.isDiskWanted, let attached = journal as? any AttachedStorage,
            try await attached.removeAttached(byteCount: size.usedByteCount - goal)
        {
            try await journal.shrink()
            size = try await journal.size()
        }
        if eviction.pressure.isDiskWanted, size.usedByteCount <= goal {
            eviction.pressure.reachedDiskGoal()
            // Pages that the last evictions freed are returned too, so that the database ends below its limit and not
            // at it.
            if size.fileByteCount > goal { try await journal.shrink() }
        }
        guard eviction.pressure.isDiskWanted, storedCount > 0 else { return ofCount }
        let each = max(1, size.usedByteCount / storedCount)
        let ofBytes = Excess(
            entityCount: min(storedCount, (size.usedByteCount - goal + each - 1) / each),
            check: EvictionCheck(tier: .disk, count: max(fileByteCount, size.usedByteCount), limit: byteCountMax),
            isAboveDiskLimit: size.usedByteCount > byteCountMax)
        return ofBytes.entityCount > ofCount.entityCount ? ofBytes : ofCount
    }

    /// Evicts entities that only the journal has, which were not used for longest, and then entities in memory. Memory
    /// comes first when the last scan of all entities that only the journal has found none to evict, and few were
    /// evicted from memory since: otherwise each commit would repeat that scan.
    /// Entities of followed types come last.
    private func evictEverywhere(_ excess: Excess, countMax: Int) async throws(StorageError) {
        var wantedCount = countMax
        if state.followsTypes { try await evictEverywhere(excess, &wantedCount, \.sparingScan) }
        if wantedCount > 0 { try await evictEverywhere(excess, &wantedCount, \.rowScan) }
    }

    /// The scan of an eviction: that of all rows, or that which spares followed types.
    typealias Scan = WritableKeyPath<EvictionState, StoredRowScan>

    private func evictEverywhere(_ excess: Excess, _ wantedCount: inout Int, _ scan: Scan) async throws(StorageError) {
        let wasFruitless = eviction[keyPath: scan].isFruitless
        if !wasFruitless { try await evictStored(&wantedCount, scan) }
        await evictResident(
            &wantedCount, isForDisk: excess.check.tier == .disk, sparesFollowed: scan == \.sparingScan)
        if wasFruitless, wantedCount > 0, eviction[keyPath: scan].movedCount > 0 {
            try await evictStored(&wantedCount, scan)
        }
    }

    private func evictStored(_ wantedCount: inout Int, _ scan: Scan) async throws(StorageError) {
        let (countMax, onlyStoredCount) = (wantedCount, state.storedCount)
        var seenCount: Int64 = 0
        while wantedCount > 0, state.absentCount > 0, seenCount < onlyStoredCount {
            let window = eviction[keyPath: scan].window(wantedCount: wantedCount)
            var rows = try await journal.rows(after: eviction[keyPath: scan].position, countMax: window.rowCount)
            var isWhole = eviction[keyPath: scan].advance(past: rows, of: window)
            if !isWhole, rows.count < window.rowCount {
                let first = try await journal.rows(after: nil, countMax: window.rowCount - rows.count)
                isWhole = eviction[keyPath: scan].wrap(into: first, &rows, of: window)
            }
            seenCount += Int64(max(1, rows.count))
            // A window that is not all rows contains only some of the oldest. A quarter of it is evicted; the rest is
            // scanned again on the next round.
            let oldCountMax = isWhole ? wantedCount : min(wantedCount, max(1, rows.count / 4))
            let old = await evictable(
                await SyncCache.oldestFirst(rows), countMax: oldCountMax, sparesFollowed: scan == \.sparingScan)
            wantedCount -= try await reduceStored(old.reducible)
            var rest = old.whole[...]
            while !rest.isEmpty {
                wantedCount -= await evicting { budget, now in
                    var count = 0
                    repeat {
                        count += state.evictEverywhere(rest.prefix(SliceBudget.entityCount), at: now)
                        rest = rest.dropFirst(SliceBudget.entityCount)
                    } while !rest.isEmpty && !budget.isSpent
                    return count
                }
                await Task.yield()
            }
            if isWhole { break }
        }
        eviction[keyPath: scan].ended(seenCount: seenCount, isFruitful: wantedCount < countMax)
    }

    /// Evicts entities that are in memory from both tiers.
    ///
    /// - Parameters:
    ///   - wantedCount: The number of entities to evict. Fewer are evicted if another task has evicted enough
    ///     meanwhile.
    ///   - isForDisk: Whether the eviction has to free space in the journal, and not only to reduce the number of
    ///     entities.
    ///   - sparesFollowed: Whether entities of followed types stay.
    func evictResident(_ wantedCount: inout Int, isForDisk: Bool, sparesFollowed: Bool) async {
        var unseenCount = state.residentCount
        while wantedCount > 0, unseenCount > 0 {
            wantedCount -= await evicting { budget, now in
                var count = 0
                repeat {
                    let countMax = min(wantedCount - count, isForDisk ? .max : excessCount)
                    let slice = state.evictResident(
                        countMax: countMax, seenCountMax: min(unseenCount, SliceBudget.entityCount),
                        isForDisk: isForDisk, sparesFollowed: sparesFollowed, at: now)
                    count += slice.evictedCount
                    unseenCount -= slice.seenCount
                    if slice.seenCount == 0 { unseenCount = 0 }
                } while unseenCount > 0 && count < wantedCount && !budget.isSpent
                return count
            }
            await Task.yield()
        }
    }

    /// The number of entities above ``EvictionPolicy/entityCountMax``.
    var excessCount: Int {
        Int(clamping: max(0, state.entityCount - (configuration.eviction.entityCountMax ?? .max)))
    }

    /// Sorts rows by their last write. Off the actor, so that a window of thousands delays no other call.
    @concurrent private static func oldestFirst(_ rows: [StoredRowAge]) async -> [StoredRowAge] {
        rows.sorted { ($0.writtenAt, $0.stored.row) < ($1.writtenAt, $1.stored.row) }
    }

    /// Selects rows that may be evicted, in steps. An entity that is loaded into memory between two steps is skipped.
    ///
    /// - Parameter rows: The rows, oldest first.
    private func evictable(
        _ rows: [StoredRowAge], countMax: Int, sparesFollowed: Bool
    ) async -> (whole: [StoredRow], reducible: [StoredKey]) {
        var found: (whole: [StoredRow], reducible: [StoredKey]) = ([], [])
        var rest = rows[...]
        while !rest.isEmpty, found.whole.count + found.reducible.count < countMax {
            let more = state.evictable(
                Array(rest.prefix(SyncCache.lookedAtCountMax)),
                countMax: countMax - found.whole.count - found.reducible.count, sparesFollowed: sparesFollowed)
            rest = rest.dropFirst(SyncCache.lookedAtCountMax)
            found.whole += more.whole
            found.reducible += more.reducible
            await Task.yield()
        }
        return found
    }

    /// How many rows are looked up in memory in one step: 512.
    private static let lookedAtCountMax = 512

    /// Reduces stored entities. They are loaded first, because the fields that stay are written again.
    private func reduceStored(_ keys: [StoredKey]) async throws(StorageError) -> Int {
        var count = 0
        var rest = keys[...]
        while !rest.isEmpty {
            let slice = rest.prefix(SliceBudget.entityCount)
            rest = rest.dropFirst(SliceBudget.entityCount)
            count += try await withLoaded({ slice.filter { !state.isKnown($0) } }) {
                let now = clock.now()
                let count = state.reduce(slice, at: now)
                recordLeavings(at: now)
                eviction.evictedFromBothTiers(count)
                distribute()
                return count
            }
        }
        return count
    }

    /// Runs one step of an eviction. It holds the lock for loads, so that nothing is evicted between an entity's load
    /// and its use.
    ///
    /// - Parameter body: Evicts until its budget is spent, and returns the number of evicted entities. Its second
    ///   argument is the time of the step, as it is recorded.
    private func evicting(_ body: (SliceBudget, _ now: Int64) -> Int) async -> Int {
        await takeLoadTurn()
        defer { turns.loads.release() }
        let now = clock.now()
        let count = body(SliceBudget(configuration.stepClock), now)
        recordLeavings(at: now)
        eviction.evictedFromBothTiers(count)
        distribute()
        return count
    }
}
