import TidemarkModel
import TidemarkStore

/// Delays input while a cache exceeds its limits of both tiers. Law: L8.
///
/// Entities are evicted between two commits, and input may be faster. Therefore input waits here before it is applied.
/// At every moment the limits are exceeded by at most a tenth and one batch, and an entity that has just arrived can be
/// read.
extension SyncCache {
    /// Returns when the cache is within its limits, or when nothing can be evicted now.
    ///
    /// Input does not wait for a delegate: before it answers and after it refuses, the limits may be exceeded. Nor does
    /// input wait while the disk fails.
    func waitForRoom() async {
        while !isClosed, isRoomDue {
            let countBefore = eviction.pressure.evictedCount
            var isOwnTurn = true
            if !eviction.pressure.isDiskCrowded, state.absentCount == 0 {
                // All entities are in memory. The eviction needs nothing from the journal, and evicts unwritten
                // entities without writing them first.
                var wantedCount = excessCount
                for sparesFollowed in state.followsTypes ? [true, false] : [false] where wantedCount > 0 {
                    await evictResident(&wantedCount, isForDisk: false, sparesFollowed: sparesFollowed)
                }
                scheduleFlush()
            } else {
                guard flushes.error == nil else { return }
                isOwnTurn = !flushes.isUnderWay
                if isOwnTurn { beginRoomTurn() }
                guard let flushTask = flushes.task else { return }
                await flushTask.value
            }
            guard isOwnTurn else { continue }
            eviction.pressure.waited(countBefore: countBefore, entityCount: state.entityCount)
        }
    }

    /// Begins an eviction. Evicted entities free disk space only once they are removed from the database, so unwritten
    /// changes are flushed first.
    private func beginRoomTurn() {
        if eviction.pressure.isDiskCrowded, state.isUnwritten { startFlush() } else { beginEvicting() }
    }

    /// True if a limit is exceeded by more than a tenth, and entities may be evicted without asking a delegate.
    private var isRoomDue: Bool {
        let policy = configuration.eviction
        guard policy.limitsBothTiers, policy.willEvict == nil || eviction.tierConsent.isApproved else {
            return false
        }
        return eviction.pressure.delaysInput(entityCount: state.entityCount, countMax: policy.entityCountMax)
    }
}
