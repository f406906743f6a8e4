import TidemarkModel
import TidemarkStore

extension SyncCache {
    /// Schedules the notification that a list has expired: one timer serves all lists.
    ///
    /// - Parameter query: A query that was just observed or answered.
    /// - Complexity: O(log n) for n observed lists that can expire.
    func scheduleExpiry(of query: UInt32) {
        guard observers.isObserved(query), let moment = state.expiry(of: query) else { return }
        schedule(.list(query), at: moment)
        followExpiries()
    }

    /// Schedules a check of a target at a moment. The check never runs in this step: observers may be getting
    /// notifications now.
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

    /// The number of extra entries that the queue may have before it is cleaned.
    private static let expirySlackCount = 64

    /// Notifies observers of lists that have expired, and sets the timer for the next one.
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

/// A target that is checked when its moment has come.
enum ExpiryTarget {
    /// An observed list, by its own expiry: all its observers are notified.
    case list(UInt32)
    /// An observer that asked to be refreshed.
    case observer(SubscriptionID)
}

/// The timer for the earliest moment in the queue.
struct ExpiryTimer {
    let moment: Int64
    let task: Task<Void, Never>
}
