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

    /// Begins an eviction from memory when entities take more than the limit.
    ///
    /// The first slice runs at once, so that a small excess is evicted immediately. Other slices take turns with the
    /// cache's other work; each uses the state as it finds it.
    func checkMemory() {
        dropPassing()
        guard evictionTask == nil, state.residentCount > keptCount + keptCount / 8, loadingCount == 0,
            state.memoryByteCount > configuration.memoryByteCountMax
        else { return }
        guard let willEvict = configuration.eviction.willEvict, !mayEvictMemory else { return beginEviction() }
        guard !isMemoryVetoed else { return }
        let check = EvictionCheck(
            tier: .memory, count: Int64(state.memoryByteCount), limit: Int64(configuration.memoryByteCountMax))
        evictionTask = spawn { [weak self] in
            let isAllowed = await willEvict(check)
            await self?.memoryAnswered(isAllowed)
        }
    }

    /// Uses only the answer: the state may have changed much since the question.
    private func memoryAnswered(_ isAllowed: Bool) {
        evictionTask = nil
        isMemoryVetoed = !isAllowed
        mayEvictMemory = isAllowed
        checkMemory()
    }

    private func beginEviction() {
        mayEvictMemory = false
        var leftCount = state.residentCount
        guard evictSlice(&leftCount) else { return }
        evictionTask = spawn { [leftCount] in await self.evictInSlices(leftCount) }
    }

    private func evictInSlices(_ leftCount: Int) async {
        var leftCount = leftCount
        repeat { await Task.yield() } while !isClosed && evictSlice(&leftCount)
        evictionTask = nil
    }

    /// - Parameter leftCount: The number of entities that were not scanned yet, so that entities that must stay are
    ///   scanned only once.
    /// - Returns: Whether there is more to do. While a caller loads entities the result is false; that caller checks
    ///   memory again afterwards.
    private func evictSlice(_ leftCount: inout Int) -> Bool {
        guard loadingCount == 0 else { return false }
        let goal = configuration.eviction.goal(ofLimit: configuration.memoryByteCountMax)
        let budget = SliceBudget(configuration.stepClock)
        var seenCount = 0
        repeat {
            let slice = state.evict(
                toByteCount: goal, seenCountMax: min(leftCount, SliceBudget.entityCount), at: clock.now())
            evictedCount += slice.evictedCount
            droppedCount += slice.evictedCount
            leftCount -= slice.seenCount
            seenCount += slice.seenCount
            if slice.seenCount == 0 { break }
        } while state.memoryByteCount > goal && leftCount > 0 && seenCount < SyncCache.sliceEntityCountMax
            && !budget.isSpent
        recordLeavings(at: clock.now())
        if !state.changeLog.isEmpty { distribute() }
        guard state.memoryByteCount > goal else { return false }
        if leftCount <= 0 { keptCount = state.residentCount }
        return leftCount > 0
    }

    /// Evicts entities of types that do not stay in memory, in slices.
    private func dropPassing() {
        guard passingTask == nil, loadingCount == 0 else { return }
        var rest = state.passing[...]
        guard !rest.isEmpty, dropPassingSlice(&rest) else { return }
        passingTask = spawn { [rest] in await self.dropPassing(rest) }
    }

    private func dropPassing(_ slots: ArraySlice<UInt32>) async {
        var rest = slots
        repeat { await Task.yield() } while !isClosed && dropPassingSlice(&rest)
        passingTask = nil
    }

    /// - Returns: Whether there is more to do.
    private func dropPassingSlice(_ rest: inout ArraySlice<UInt32>) -> Bool {
        guard loadingCount == 0 else { return false }
        let budget = SliceBudget(configuration.stepClock)
        var seenCount = 0
        repeat {
            droppedCount += state.dropPassing(rest.prefix(SliceBudget.entityCount))
            seenCount += SliceBudget.entityCount
            rest = rest.dropFirst(SliceBudget.entityCount)
        } while !rest.isEmpty && seenCount < SyncCache.sliceEntityCountMax && !budget.isSpent
        return !rest.isEmpty
    }

    /// Ends a load. Loaded entities take memory too, so the limit is checked here as well.
    func endLoading() {
        loadingCount -= 1
        if loadingCount == 0 { checkMemory() }
    }
}
