import TidemarkModel
import TidemarkStore

extension SyncCache {
    /// Schedules the notification that a list has expired. One timer serves all lists.
    ///
    /// - Parameter query: A query that was just observed or answered.
    /// - Complexity: O(log n) for n observed lists that can expire.
    func scheduleExpiry(of query: QueryID) {
        guard observers.isObserved(query), let moment = state.expiry(of: query) else { return }
        refreshes.insertList(
            query, at: moment, listCount: observers.observedQueryCount, listMoment: { currentExpiry(of: $0) })
        setExpiryTimer()
        followExpiries()
    }

    /// Schedules the check of an observer. The check never runs in this step, during which observers may be getting
    /// notifications.
    func scheduleCheck(of subscription: SubscriptionID, at moment: Int64) {
        refreshes.insertObserver(
            subscription, at: moment, listCount: observers.observedQueryCount,
            listMoment: { currentExpiry(of: $0) })
        setExpiryTimer()
    }

    /// Returns when an observed list expires; nil when it does not expire or is not observed.
    private func currentExpiry(of query: QueryID) -> Int64? {
        observers.isObserved(query) ? state.expiry(of: query) : nil
    }

    /// Notifies observers of lists that have expired, and sets the timer for the next one.
    private func followExpiries() {
        let now = clock.now()
        let due = refreshes.takeDue(at: now)
        let lists = due.lists.filter { observers.isObserved($0) }
        if !lists.isEmpty {
            state.expire(lists, at: now)
            distribute()
        }
        for subscription in due.observers { refresh(subscription, at: now) }
        setExpiryTimer()
    }

    private func setExpiryTimer() {
        guard !isClosed, let next = refreshes.first else { return }
        timers.setExpiry(at: next) {
            spawn { [weak self, clock] in
                do { try await clock.sleep(milliseconds: max(0, next.subtractingClamped(clock.now()))) } catch {
                    return
                }
                await self?.untilActive()
                await self?.expiryTimerFired(next)
            }
        }
    }

    private func expiryTimerFired(_ moment: Int64) {
        timers.expiryFired(at: moment)
        followExpiries()
    }
}
