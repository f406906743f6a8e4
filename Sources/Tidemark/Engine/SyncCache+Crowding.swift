import TidemarkModel
import TidemarkStore

/// Delays input while a cache is past its limits of both tiers. Law: L8.
///
/// Entities are evicted between two commits, and input may be faster. So input waits here before it is applied: at
/// every moment the limits hold to within a tenth and one batch, and an entity that just arrived can be read.
extension SyncCache {
    /// Returns when the cache is within its limits, or when nothing can be evicted now.
    ///
    /// Input does not wait for a delegate: while it is asked, and after it refused, the limits may be passed. Nor does
    /// input wait for a disk that fails.
    func waitForRoom() async {
        while !isClosed, isRoomDue {
            let countBefore = eviction.pressure.evictedCount
            var isOwnTurn = true
            if !eviction.pressure.isDiskCrowded, state.absentCount == 0 {
                // All entities are in memory: the journal need not be asked, and unwritten entities can be evicted
                // without being written.
                var wantedCount = excessCount
                await evictResident(&wantedCount, isForDisk: false)
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

    /// Begins an eviction. Evicted entities free disk space only when they are removed from the database, so unwritten
    /// changes are flushed first.
    private func beginRoomTurn() {
        if eviction.pressure.isDiskCrowded, state.isUnwritten { startFlush() } else { beginEvicting() }
    }

    /// Whether a limit is passed by more than a tenth, and entities may be evicted without asking a delegate.
    private var isRoomDue: Bool {
        let policy = configuration.eviction
        guard policy.limitsBothTiers, policy.willEvict == nil || eviction.tierConsent.isApproved else {
            return false
        }
        return eviction.pressure.delaysInput(entityCount: state.entityCount, countMax: policy.entityCountMax)
    }
}
