import TidemarkModel
import TidemarkStore

/// Holds input back while a cache is past its limits of both tiers. Law: L8.
///
/// Room is made between two commits, and input may be faster. So who brings more waits here before it is applied: the limits hold at every
/// moment to a tenth and one batch, and what was just brought can be read.
extension SyncCache {
    /// Returns when there is room, or none can be made now.
    ///
    /// Nobody waits for a delegate: while it is asked, and once it said no, the limits may be passed. Nor does anybody wait for a disk that
    /// fails.
    func waitForRoom() async {
        while !isClosed, isRoomDue {
            let leftBefore = leftCount
            var isOwnTurn = true
            if !isDiskCrowded, state.absentCount == 0 {
                // All are in memory: there is nothing to ask the journal for, and those that it does not have yet need not be written.
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

    /// The disk has room when what went was taken out of it.
    private func beginRoomTurn() {
        if isDiskCrowded, state.isUnwritten { startFlush() } else { beginMakingRoom() }
    }

    /// Whether a limit is passed by more than a tenth, and room is made without asking anybody.
    ///
    /// Entities that could not be evicted are scanned again when an eighth as many came, because each scan reads them all.
    private var isRoomDue: Bool {
        let policy = configuration.eviction
        guard policy.limitsBothTiers, policy.willEvict == nil || mayMakeRoom else { return false }
        if isDiskCrowded { return true }
        guard let countMax = policy.entityCountMax else { return false }
        let count = state.entityCount
        return count > countMax.addingClamped(countMax / 10) && count > crowdedCount + crowdedCount / 8
    }
}
