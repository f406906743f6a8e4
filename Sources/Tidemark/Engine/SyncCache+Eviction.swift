import TidemarkModel
import TidemarkStore

/// Keeps the cache within its limit of memory. Laws: L8, L9.
extension SyncCache {
    /// The largest number of entities that one slice scans: 1,000, which takes some 0.4 ms. A slice that takes longer
    /// ends earlier, see ``SliceBudget``.
    /// - Source: docs/decisions/0012-eviction.md.
    private static let sliceEntityCountMax = 1_000

    /// The number of entities in memory.
    var residentCount: Int { state.residentCount }

    /// The limit of the memory for entities: what the journal leaves of the cache's limit, and a sixteenth at least.
    var entityByteCountMax: Int {
        let limit = configuration.memoryByteCountMax
        return max(limit / 16, limit - journal.memoryByteCount)
    }

    /// Begins an eviction from memory when entities take more than the limit.
    ///
    /// The first slice runs at once, so that a small excess is evicted immediately. Other slices take turns with the
    /// cache's other work; each uses the state as it finds it.
    func checkMemory() {
        evictExcluded()
        guard state.memoryByteCount > entityByteCountMax else {
            // An approval that is not needed any more is not kept for another eviction.
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

    /// Uses only the answer: the state may have changed much since the question.
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

    /// - Parameter unscannedCount: The number of entities that were not scanned yet, so that entities that must stay
    ///   are scanned only once.
    /// - Returns: Whether there is more to do. While a caller loads entities the result is false; that caller checks
    ///   memory again afterwards, under the same consent.
    private func evictSlice(_ unscannedCount: inout Int) -> Bool {
        guard !turns.loads.isLoading else { return false }
        let goal = configuration.eviction.goal(ofLimit: entityByteCountMax)
        let budget = SliceBudget(configuration.stepClock)
        let now = clock.now()
        var seenCount = 0
        repeat {
            let slice = state.evict(
                toByteCount: goal, seenCountMax: min(unscannedCount, SliceBudget.entityCount), at: now)
            eviction.evictedFromMemory(slice.evictedCount)
            unscannedCount -= slice.seenCount
            seenCount += slice.seenCount
            if slice.seenCount == 0 { break }
        } while state.memoryByteCount > goal && unscannedCount > 0 && seenCount < SyncCache.sliceEntityCountMax
            && !budget.isSpent
        recordLeavings(at: now)
        if !state.changeLog.isEmpty { distribute() }
        if state.memoryByteCount > goal, unscannedCount > 0 { return true }
        if state.memoryByteCount > goal { eviction.residentScan.ended(residentCount: state.residentCount) }
        eviction.memoryConsent.complete()
        return false
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

    /// - Returns: Whether there is more to do.
    private func evictExcludedSlice(_ rest: inout ArraySlice<SlotIndex>) -> Bool {
        guard !turns.loads.isLoading else { return false }
        let budget = SliceBudget(configuration.stepClock)
        var seenCount = 0
        repeat {
            eviction.rowScan.moved(state.evictMemoryExcluded(rest.prefix(SliceBudget.entityCount)))
            seenCount += SliceBudget.entityCount
            rest = rest.dropFirst(SliceBudget.entityCount)
        } while !rest.isEmpty && seenCount < SyncCache.sliceEntityCountMax && !budget.isSpent
        return !rest.isEmpty
    }

    /// Ends a load. Loaded entities take memory too, so the limit is checked here as well.
    func endLoading() {
        if turns.loads.end() { checkMemory() }
    }
}
