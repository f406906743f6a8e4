import Logging
import TidemarkModel
import TidemarkStore

/// Refreshes observers that asked for it as soon as some of the data that they see becomes too old.
///
/// Writes only move the next check closer; whether data was renewed is found out at the check. Events therefore cost
/// nothing for observers without `refreshes`, and one scan of the changed entities for the others.
extension SyncCache {
    /// Begins to refresh an observer that was just made.
    ///
    /// - Parameter isTooOld: Whether the first answer was too old.
    func beginRefreshing(_ subscription: SubscriptionID, ages: OperationAges, isTooOld: Bool) {
        var refresh = Refresh(ages: ages)
        refresh.isTooOld = isTooOld
        refreshes[subscription] = refresh
        observers.refresh(subscription)
        guard let expiry = expiry(of: subscription, ages) else { return }
        setMoment(subscription, max(expiry, clock.now()))
    }

    private func setMoment(_ subscription: SubscriptionID, _ moment: Int64) {
        scheduleCheck(of: subscription, at: moment)
    }

    /// Returns when the first of the data that an observer sees becomes too old; nil when none does.
    private func expiry(of subscription: SubscriptionID, _ ages: OperationAges) -> Int64? {
        if let observer = observers.queryObservers[subscription] {
            return state.expiry(ofList: observer.query, fields: observer.fields, ages: ages)
        }
        return observers.entityObservers[subscription].flatMap {
            state.expiry(ofEntity: $0.handle, fields: $0.fields, ages: ages)
        }
    }

    /// Checks an observer that is due.
    func refresh(_ subscription: SubscriptionID, at now: Int64) {
        guard !isClosed, var refresh = refreshes[subscription], !refresh.isFetching else { return }
        refresh.moment = nil
        refresh.lookedAt = now
        let expiry = expiry(of: subscription, refresh.ages)
        if let expiry, expiry <= now {
            if let observer = observers.queryObservers[subscription], queryUpstream != nil,
                !state.isLocal(observer.query)
            {
                refresh.isFetching = true
                refreshes[subscription] = refresh
                return fetch(observer.key, for: subscription)
            }
            refresh.isTooOld = true
            let next = now + refresh.backOff()
            refreshes[subscription] = refresh
            notifyAge(subscription)
            return setMoment(subscription, next)
        }
        reschedule(subscription, refresh, expiry)
    }

    /// Records that the data that an observer sees is fresh until a moment; nil for data that does not expire.
    private func reschedule(_ subscription: SubscriptionID, _ refresh: Refresh, _ expiry: Int64?) {
        var refresh = refresh
        refresh.isTooOld = false
        refresh.pause = 0
        refreshes[subscription] = refresh
        notifyAge(subscription)
        if let expiry { setMoment(subscription, refresh.look(for: expiry)) }
    }

    private func fetch(_ key: QueryKey, for subscription: SubscriptionID) {
        fetch(
            FetchWaiter(
                request: QueryRequest(key, policy: .networkOnly), sink: nil, storesAnswer: true,
                reply: { [weak self] result in
                    // This runs in the step that stored the response, whose changes are notified first.
                    guard let self else { return }
                    spawn { [weak self] in await self?.fetched(result, for: subscription) }
                }))
    }

    private func fetched(_ result: Result<QueryReply, CacheError>, for subscription: SubscriptionID) {
        guard var refresh = refreshes[subscription] else { return }
        refresh.isFetching = false
        let now = clock.now()
        refresh.lookedAt = now
        let expiry = expiry(of: subscription, refresh.ages)
        switch result {
        case .success:
            // Data that was just fetched is never too old for the observer that asked for it, whatever its limit.
            if let expiry, expiry <= now {
                refresh.isTooOld = false
                let next = now + refresh.backOff()
                refreshes[subscription] = refresh
                notifyAge(subscription)
                return setMoment(subscription, next)
            }
            reschedule(subscription, refresh, expiry)
        case .failure(let error):
            guard !isClosed else { return }
            configuration.logger.info("an observed query could not be refreshed: \(error)")
            refresh.isTooOld = expiry.map { $0 <= now } ?? false
            let next = now + refresh.backOff()
            refreshes[subscription] = refresh
            notifyAge(subscription)
            setMoment(subscription, next)
        }
    }

    /// Checks the refreshed observers of a list that has got a new response.
    func followAnswer(of query: QueryID) {
        guard !refreshes.isEmpty else { return }
        for observer in observers.observers(of: query) {
            guard let refresh = refreshes[observer.subscription], !refresh.isFetching else { continue }
            let expiry = expiry(of: observer.subscription, refresh.ages)
            if let expiry, expiry <= clock.now() { continue }
            reschedule(observer.subscription, refresh, expiry)
        }
    }

    /// Records that entities that an observer sees were written: one of them may be the next to become too old.
    func follow(_ handles: some Sequence<ListHandle>, for subscription: SubscriptionID, fields: Set<[UInt8]>?) {
        guard var refresh = refreshes[subscription] else { return }
        if refresh.isTooOld || refresh.pause > 0 {
            // Checked only while something is too old. If it was renewed, the notification of this change carries the
            // new staleness.
            let expiry = expiry(of: subscription, refresh.ages)
            if let expiry, expiry <= clock.now() { return }
            refresh.isTooOld = false
            refresh.pause = 0
            refreshes[subscription] = refresh
            if let expiry, !refresh.isFetching { setMoment(subscription, refresh.look(for: expiry)) }
            return
        }
        guard !refresh.isFetching else { return }
        var first: Int64?
        for handle in handles {
            guard let moment = state.expiry(ofEntity: handle, fields: fields, ages: refresh.ages) else { continue }
            first = min(first ?? .max, moment)
        }
        guard let first else { return }
        let moment = refresh.look(for: max(first, clock.now()))
        if refresh.moment.map({ moment < $0 }) ?? true { setMoment(subscription, moment) }
    }

    /// Notifies an observer that something has become too old, or no longer is, unless it knows already.
    private func notifyAge(_ subscription: SubscriptionID) {
        let isTooOld = refreshes[subscription]?.isTooOld ?? false
        if let observer = observers.queryObservers[subscription] {
            guard observer.lag == nil else { return }
            let isStale = state.isStale(observer.query, at: clock.now()) || isTooOld
            guard isStale != observer.shownStale else { return }
            let isTaken = observer.sink.offer(
                .query(
                    QueryNotification(
                        subscription: subscription, operations: [], isStale: isStale, asOf: state.asOf(observer.query),
                        isPending: state.isPending(observer.query), missed: 0)))
            if isTaken {
                observers.countNotification()
                observer.shownStale = isStale
            } else {
                let lag = beginLag(of: observer)
                lag.isStale = isStale
                lag.count = 1
            }
        } else if let observer = observers.entityObservers[subscription], observer.lag == nil {
            guard observer.shownStale != isTooOld else { return }
            let entity = state.resource(of: observer.handle).map {
                FieldSelection.resource($0, fields: observer.fields)
            }
            let isTaken = observer.sink.offer(
                .entity(
                    EntityNotification(
                        subscription: subscription, entity: entity, changedFields: [], isStale: isTooOld)))
            if isTaken {
                observers.countNotification()
                observers.show(subscription, isStale: isTooOld)
            } else {
                observers.fallBehind(subscription, old: entity)
            }
        }
    }
}
