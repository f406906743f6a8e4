import TidemarkModel
import TidemarkStore

/// Keeps the cache within its limit of memory. Laws: L8, L9.
extension SyncCache {
    /// The largest number of entities that one slice scans: 1,000, about 0.4 ms. A slice that takes longer ends
    /// earlier, see ``SliceBudget``.
    ///
    /// - Source: docs/decisions/0012-eviction.md.
    private static let sliceEntityCountMax = 1_000

    /// The number of entities in memory.
    var residentCount: Int { state.residentCount }

    /// The memory that entities may take: the cache's limit less what the journal needs, and at least a sixteenth of
    /// it.
    var entityByteCountMax: Int {
        let limit = configuration.memoryByteCountMax
        return max(limit / 16, limit - journal.memoryByteCount)
    }

    /// Begins an eviction from memory if entities take more than the limit.
    ///
    /// The first slice runs at once, so that a small excess is gone immediately. The others alternate with the cache's
    /// other work, and each starts from the state that it finds.
    func checkMemory() {
        evictExcluded()
        guard state.memoryByteCount > entityByteCountMax else {
            // An approval that is no longer needed must not serve a later eviction.
            if eviction.memoryTask == nil { eviction.memoryConsent.complete() }
            return
        }
        guard eviction.memoryTask == nil, eviction.residentScan.isWorthwhile(residentCount: state.residentCount),
            !turns.loads.isLoading
        else { return }
        let willEvict = configuration.eviction.willEvict
        switch eviction.memoryConsent.request(hasDelegate: willEvict != nil) {
        case .evict: beginEviction()
        case .ask: if let willEvict { askForMemory(willEvict) }
        case .skip: break
        }
    }

    private func askForMemory(_ willEvict: @escaping @Sendable (EvictionCheck) async -> Bool) {
        let check = EvictionCheck(
            tier: .memory, count: Int64(state.memoryByteCount), limit: Int64(entityByteCountMax))
        eviction.memoryTask = spawn { [weak self] in
            let isAllowed = await willEvict(check)
            await self?.memoryAnswered(isAllowed)
        }
    }

    /// Uses the delegate's answer only to decide whether to evict: the state may have changed a lot since it was asked.
    private func memoryAnswered(_ isAllowed: Bool) {
        eviction.memoryTask = nil
        eviction.memoryConsent.answered(isAllowed)
        checkMemory()
    }

    private func beginEviction() {
        var unscannedCount = state.residentCount
        guard evictSlice(&unscannedCount) else { return }
        eviction.memoryTask = spawn { [unscannedCount] in await self.evictInSlices(unscannedCount) }
    }

    private func evictInSlices(_ unscannedCount: Int) async {
        var unscannedCount = unscannedCount
        repeat { await Task.yield() } while !isClosed && evictSlice(&unscannedCount)
        eviction.memoryTask = nil
    }

    /// Evicts entities until the goal or the end of the slice.
    ///
    /// - Parameter unscannedCount: How many entities this eviction has not scanned yet, so that entities that must stay
    ///   are scanned only once.
    /// - Returns: True if there is more to do. False while a caller loads entities; that caller checks memory again
    ///   afterwards, under the same approval.
    private func evictSlice(_ unscannedCount: inout Int) -> Bool {
        guard !turns.loads.isLoading else { return false }
        let goal = configuration.eviction.goal(ofLimit: entityByteCountMax)
        if evictSlice(&unscannedCount, toByteCount: goal) { return true }
        if state.memoryByteCount > goal { eviction.residentScan.ended(residentCount: state.residentCount) }
        eviction.memoryConsent.complete()
        return false
    }

    /// Evicts entities until a goal or the end of the slice.
    ///
    /// - Parameters:
    ///   - unscannedCount: How many entities this eviction has not scanned yet.
    ///   - goal: How many bytes entities may take afterwards.
    ///   - keepsUnstored: Whether entities stay that the journal never stores.
    /// - Returns: True if there is more to do.
    func evictSlice(_ unscannedCount: inout Int, toByteCount goal: Int, keepsUnstored: Bool = false) -> Bool {
        let budget = SliceBudget(configuration.stepClock)
        let now = clock.now()
        var seenCount = 0
        repeat {
            let slice = state.evict(
                toByteCount: goal, seenCountMax: min(unscannedCount, SliceBudget.entityCount),
                keepsUnstored: keepsUnstored, at: now)
            eviction.evictedFromMemory(slice.evictedCount)
            unscannedCount -= slice.seenCount
            seenCount += slice.seenCount
            if slice.seenCount == 0 { break }
        } while state.memoryByteCount > goal && unscannedCount > 0 && seenCount < SyncCache.sliceEntityCountMax
            && !budget.isSpent
        recordLeavings(at: now)
        if !state.changeLog.isEmpty { distribute() }
        return state.memoryByteCount > goal && unscannedCount > 0
    }

    /// Evicts entities of types that do not stay in memory, in slices.
    private func evictExcluded() {
        guard eviction.excludedTask == nil, !turns.loads.isLoading else { return }
        var rest = state.memoryExcluded[...]
        guard !rest.isEmpty, evictExcludedSlice(&rest) else { return }
        eviction.excludedTask = spawn { [rest] in await self.evictExcluded(rest) }
    }

    private func evictExcluded(_ slots: ArraySlice<SlotIndex>) async {
        var rest = slots
        repeat { await Task.yield() } while !isClosed && evictExcludedSlice(&rest)
        eviction.excludedTask = nil
    }

    /// - Returns: True if there is more to do.
    private func evictExcludedSlice(_ rest: inout ArraySlice<SlotIndex>) -> Bool {
        guard !turns.loads.isLoading else { return false }
        let budget = SliceBudget(configuration.stepClock)
        var seenCount = 0
        repeat {
            eviction.movedToJournal(state.evictMemoryExcluded(rest.prefix(SliceBudget.entityCount)))
            seenCount += SliceBudget.entityCount
            rest = rest.dropFirst(SliceBudget.entityCount)
        } while !rest.isEmpty && seenCount < SyncCache.sliceEntityCountMax && !budget.isSpent
        return !rest.isEmpty
    }

    /// Ends a load. Loaded entities take memory too, so the limit is checked.
    func endLoading() {
        if turns.loads.end() { checkMemory() }
    }
}
