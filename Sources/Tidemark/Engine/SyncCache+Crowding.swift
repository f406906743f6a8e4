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
            let leftBefore = leftCount
            var isOwnTurn = true
            if !isDiskCrowded, state.absentCount == 0 {
                // All entities are in memory: the journal need not be asked, and unwritten entities can be evicted
                // without being written.
                var wantedCount = excessCount
                await evictResident(&wantedCount, isForDisk: false)
                scheduleFlush()
            } else {
                guard storageError == nil else { return }
                isOwnTurn = flushTask == nil
                if isOwnTurn { beginRoomTurn() }
                guard let flushTask else { return }
                await flushTask.value
            }
            guard isOwnTurn else { continue }
            crowdedCount =
                leftCount == leftBefore ? state.entityCount : min(crowdedCount, state.entityCount)
        }
    }

    /// Begins an eviction. Evicted entities free disk space only when they are removed from the database, so unwritten
    /// changes are flushed first.
    private func beginRoomTurn() {
        if isDiskCrowded, state.isUnwritten { startFlush() } else { beginMakingRoom() }
    }

    /// Whether a limit is passed by more than a tenth, and entities may be evicted without asking a delegate.
    ///
    /// When no entity could be evicted, they are scanned again only after an eighth as many have come, because each
    /// scan reads all of them.
    private var isRoomDue: Bool {
        let policy = configuration.eviction
        guard policy.limitsBothTiers, policy.willEvict == nil || mayMakeRoom else { return false }
        if isDiskCrowded { return true }
        guard let countMax = policy.entityCountMax else { return false }
        let count = state.entityCount
        return count > countMax.addingClamped(countMax / 10) && count > crowdedCount + crowdedCount / 8
    }
}
