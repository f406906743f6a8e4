import TidemarkModel
import TidemarkStore

/// Observers of the log: each event, its bin, and the keys that it names.
///
/// An observer without room for events is notified of the number that it missed. The log never slows anything: without
/// observers an event costs one test, and a slow observer costs a counter.
extension SyncCache {
    /// Makes an observer of the log.
    ///
    /// - Parameter reply: Called once, on the cache's executor, before any notification of the observer.
    package func observeLog(
        _ filter: EventLog.Filter, sink: any ObserverSink,
        reply: @Sendable (Result<SubscriptionID, CacheError>) -> Void
    ) {
        if let refusal = isClosed ? SyncCache.closedRefusal : observerRefusal { return reply(.failure(refusal)) }
        deliverAll(to: sink)
        let subscription = observers.takeSubscription()
        guard state.observeLog(subscription.rawValue, filter) else {
            return reply(
                .failure(
                    CacheError(
                        .limitExceeded, "\(EventLog.tapCountMax) observers follow the log already: cancel one first")))
        }
        observers.add(ObserverRegistry.LogObserver(sink: sink), as: subscription)
        reply(.success(subscription))
    }

    /// The last events with their content, as they are now; the caller searches them off the cache's executor.
    ///
    /// - Complexity: O(1) now; the next event copies the chunk that it goes into while the result is in use.
    package func keptEvents() -> KeptEvents { state.keptEvents }

    /// Notifies the observers of the log of the events of the last step.
    func notifyLogObservers() {
        for news in state.drainLoggedEvents() {
            let subscription = SubscriptionID(news.number)
            guard let observer = observers.logObservers[subscription] else { continue }
            // The missed events came after the listed ones: the next notification reports them.
            let notification = LogNotification(
                subscription: subscription, events: news.events, missed: observer.missed)
            if observer.sink.offer(.log(notification)) {
                observers.notificationCount += 1
                observers.logObservers[subscription]?.missed = news.missed
            } else {
                observers.logObservers[subscription]?.missed += news.events.count + news.missed
            }
            let isBehind = observers.logObservers[subscription]?.missed ?? 0 > 0
            if isBehind, observer.missed == 0 {
                observers.noteLag(subscription, of: observer.sink)
            } else if !isBehind, observer.missed > 0 {
                observers.forgetLag(subscription, of: observer.sink)
            }
        }
    }

    /// Notifies an observer of the log of the number of events that it missed.
    ///
    /// - Returns: false when its sink has no room for this notification either.
    func catchUpLog(_ subscription: SubscriptionID, isForced: Bool) -> Bool {
        guard let observer = observers.logObservers[subscription], observer.missed > 0 else { return true }
        let notification = LogNotification(subscription: subscription, events: [], missed: observer.missed)
        if isForced {
            observer.sink.deliver(.log(notification))
        } else if !observer.sink.offer(.log(notification)) {
            return false
        }
        observers.notificationCount += 1
        observers.logObservers[subscription]?.missed = 0
        return true
    }
}
