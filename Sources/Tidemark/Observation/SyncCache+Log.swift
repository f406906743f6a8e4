import TidemarkModel
import TidemarkStore

/// Observers of the log see each event with its bin and the keys that it names.
///
/// An observer without room is notified of how many events it missed. The log never slows anything down: without
/// observers an event costs one test, and a slow observer costs a counter.
extension SyncCache {
    /// Makes an observer of the log.
    ///
    /// - Parameter reply: Called once, on the cache's executor, before any notification of the observer. Fails with
    ///   `limitExceeded` when there are too many observers.
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

    /// Returns the latest events with their content. The result does not change; search it off the cache's executor.
    ///
    /// - Complexity: O(1) now. While the result is in use, the next event copies the chunk that it is written into.
    package func keptEvents() -> KeptEvents { state.keptEvents }

    /// Notifies the observers of the log of the events of the last step.
    func notifyLogObservers() {
        for news in state.drainLoggedEvents() {
            let subscription = SubscriptionID(news.number)
            guard let observer = observers.logObservers[subscription] else { continue }
            // The missed events follow the listed ones, so the next notification counts them.
            let notification = LogNotification(
                subscription: subscription, events: news.events, missed: observer.missed)
            if observer.sink.offer(.log(notification)) {
                observers.countNotification()
                observers.setMissed(news.missed, of: subscription)
            } else {
                observers.setMissed(observer.missed + news.events.count + news.missed, of: subscription)
            }
            let isBehind = observers.logObservers[subscription]?.missed ?? 0 > 0
            if isBehind, observer.missed == 0 {
                observers.noteLag(subscription, of: observer.sink)
            } else if !isBehind, observer.missed > 0 {
                observers.forgetLag(subscription, of: observer.sink)
            }
        }
    }

    /// Notifies an observer of the log of how many events it missed.
    ///
    /// - Returns: False when its sink has no room for this notification either.
    func catchUpLog(_ subscription: SubscriptionID, isForced: Bool) -> Bool {
        guard let observer = observers.logObservers[subscription], observer.missed > 0 else { return true }
        let notification = LogNotification(subscription: subscription, events: [], missed: observer.missed)
        if isForced {
            observer.sink.deliver(.log(notification))
        } else if !observer.sink.offer(.log(notification)) {
            return false
        }
        observers.countNotification()
        observers.setMissed(0, of: subscription)
        return true
    }
}
