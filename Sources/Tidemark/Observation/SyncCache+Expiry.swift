import TidemarkModel
import TidemarkStore

extension SyncCache {
    /// Sees to it that observers hear when a list's time is over: one timer for all.
    ///
    /// - Parameter query: Just observed or answered.
    /// - Complexity: O(log n) for n observed lists whose time ends.
    func scheduleExpiry(of query: UInt32) {
        guard observers.isObserved(query), let moment = state.expiry(of: query) else { return }
        schedule(.list(query), at: moment)
        followExpiries()
    }

    /// Has something looked at when its moment has come, never in this step: observers may be being told something.
    func schedule(_ target: ExpiryTarget, at moment: Int64) {
        expiries.insert(.init(moment: moment, target: target))
        if expiries.count > 2 * (observers.observedQueryCount + refreshes.count) + SyncCache.expirySlackCount {
            expiries.keep { entry in
                switch entry.target {
                case .list(let query): observers.isObserved(query) && state.expiry(of: query) == entry.moment
                case .observer(let subscription): refreshes[subscription]?.moment == entry.moment
                }
            }
        }
        setExpiryTimer()
    }

    /// Entries that are looked through only once there are so many of them.
    private static let expirySlackCount = 64

    /// Tells observers of lists whose time is over, and waits for the next one.
    private func followExpiries() {
        let now = clock.now()
        var lists: [UInt32] = []
        var subscriptions: [SubscriptionID] = []
        for entry in expiries.takeDue(at: now) {
            switch entry.target {
            case .list(let query): if observers.isObserved(query) { lists.append(query) }
            case .observer(let subscription):
                if refreshes[subscription]?.moment == entry.moment { subscriptions.append(subscription) }
            }
        }
        if !lists.isEmpty {
            state.expire(lists, at: now)
            distribute()
        }
        for subscription in subscriptions { refresh(subscription, at: now) }
        setExpiryTimer()
    }

    private func setExpiryTimer() {
        guard !isClosed, let next = expiries.first else { return }
        if let expiryTimer, expiryTimer.moment <= next { return }
        expiryTimer?.task.cancel()
        expiryTimer = ExpiryTimer(
            moment: next,
            task: spawn { [weak self, clock] in
                do { try await clock.sleep(milliseconds: max(0, next.subtractingClamped(clock.now()))) } catch {
                    return
                }
                await self?.expiryTimerFired(next)
            })
    }

    private func expiryTimerFired(_ moment: Int64) {
        if expiryTimer?.moment == moment { expiryTimer = nil }
        followExpiries()
    }
}

/// What is looked at when its moment has come.
enum ExpiryTarget {
    /// An observed list, by its own time: all its observers hear of it.
    case list(UInt32)
    /// An observer that asked to be refreshed.
    case observer(SubscriptionID)
}

/// Waits for the first moment of all.
struct ExpiryTimer {
    let moment: Int64
    let task: Task<Void, Never>
}
