import TidemarkModel
import TidemarkStore

extension SyncCache {
    /// Sees to it that observers hear when a list's time is over: one timer for all.
    ///
    /// - Parameter query: Just observed or answered.
    /// - Complexity: O(log n) for n observed lists whose time ends.
    func scheduleExpiry(of query: UInt32) {
        guard observers.isObserved(query), let moment = state.expiry(of: query) else { return }
        expiries.insert(ExpiryQueue.Entry(moment: moment, query: query))
        if expiries.count > 2 * observers.observedQueryCount + SyncCache.expirySlackCount {
            expiries.keep { observers.isObserved($0.query) && state.expiry(of: $0.query) == $0.moment }
        }
        followExpiries()
    }

    /// Entries that are looked through only once there are so many of them.
    private static let expirySlackCount = 64

    /// Tells observers of lists whose time is over, and waits for the next one.
    private func followExpiries() {
        let now = clock.now()
        let due = expiries.takeDue(at: now).filter { observers.isObserved($0) }
        if !due.isEmpty {
            state.expire(due, at: now)
            distribute()
        }
        guard !isClosed, let next = expiries.first else { return }
        if let expiryTimer, expiryTimer.moment <= next { return }
        expiryTimer?.task.cancel()
        expiryTimer = ExpiryTimer(
            moment: next,
            task: Task { [weak self, clock] in
                do { try await clock.sleep(milliseconds: max(0, next - clock.now())) } catch { return }
                await self?.expiryTimerFired(next)
            })
    }

    private func expiryTimerFired(_ moment: Int64) {
        if expiryTimer?.moment == moment { expiryTimer = nil }
        followExpiries()
    }
}

/// Waits for the first observed list whose time is over.
struct ExpiryTimer {
    let moment: Int64
    let task: Task<Void, Never>
}
