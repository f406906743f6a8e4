import TidemarkModel
import TidemarkStore

extension SyncCache {
    /// Notifies observers of the last change, in order, and wakes callers that wait for a position in a log.
    ///
    /// Called in the same step as the change, so that nothing happens between a change and its notifications.
    func distribute() {
        if observers.count > 0 || !observers.librarySinks.isEmpty || !wings.areUnobserved {
            let log = state.changeLog
            let countBefore = observers.notificationCount
            for (position, record) in log.enumerated() {
                switch record {
                case .query(let change): notify(change, at: position, of: log)
                case .entity(let change): notify(change)
                // Only wings tell apart why an entity is absent, and follow types.
                case .absent, .followed, .lost, .evicted, .settled: break
                case .renamed(let old, let new, let key): observers.rename(old, to: new, key)
                case .library(let status): notify(status)
                }
                wings.note(record)
            }
            catchUpHeldBack()
            for wing in wings.all { wing.distribute(in: self) }
            tallies.metrics.recordNotifications(Int(observers.notificationCount - countBefore))
        }
        if state.hasLogObservers { notifyLogObservers() }
        state.clearLog()
        if state.isAwaiting { loadReserves() }
        if progress.isAwaited { wakePositionWaiters() }
        if state.hasOutboxChanges { followOutbox() }
    }

    // MARK: Queries

    private func notify(_ change: QueryChange, at position: Int, of log: [ChangeRecord]) {
        for observer in observers.observers(of: change.query) {
            if observer.isRefreshed { follow(change, for: observer) }
            if let lag = observer.lag {
                if change.isHeldBack { holdBack(observer, lag) }
                absorb(change, lag, fields: observer.fields, at: position, of: log)
                continue
            }
            if change.isHeldBack {
                let lag = beginLag(of: observer)
                holdBack(observer, lag)
                absorb(change, lag, fields: observer.fields, at: position, of: log)
                continue
            }
            let operations = FieldSelection.operations(change.steps, fields: observer.fields)
            let isStale = change.isStale || isTooOld(observer)
            guard !operations.isEmpty || isStale != observer.shownStale else { continue }
            let notification = QueryNotification(
                subscription: observer.subscription, operations: operations, isStale: isStale,
                asOf: change.asOf, isPending: change.isPending, missed: 0)
            if observer.sink.offer(.query(notification)) {
                observers.countNotification()
                observer.shownStale = isStale
            } else {
                let lag = beginLag(of: observer)
                absorb(change, lag, fields: observer.fields, at: position, of: log)
            }
        }
    }

    /// Begins to collect the changes that an observer has not seen.
    func beginLag(of observer: ObserverRegistry.QueryObserver) -> QueryLag {
        let (number, unloggedCount) = state.beginLag(of: observer.query, isWhole: observer.fields == nil)
        let lag = QueryLag(number: number, unloggedCount: unloggedCount, isStale: observer.shownStale)
        observer.lag = lag
        observers.noteLag(observer.subscription, of: observer.sink)
        return lag
    }

    private func isTooOld(_ observer: ObserverRegistry.QueryObserver) -> Bool {
        observer.isRefreshed && refreshes[observer.subscription]?.isTooOld == true
    }

    private func follow(_ change: QueryChange, for observer: ObserverRegistry.QueryObserver) {
        let handles = change.steps.compactMap { step -> ListHandle? in
            switch step {
            case .add(let value, _), .replace(let value, _): value.handle
            case .remove, .move: nil
            }
        }
        follow(handles, for: observer.subscription, fields: observer.fields)
    }

    /// Adds a change to the lag of a slow observer.
    private func absorb(
        _ change: QueryChange, _ lag: QueryLag, fields: Set<[UInt8]>?, at position: Int, of log: [ChangeRecord]
    ) {
        if change.isStale != lag.isStale || FieldSelection.isVisible(change.steps, fields: fields) {
            lag.count += 1
            lag.isStale = change.isStale
        }
        if lag.number <= change.knownBy, !change.isStructural { return }
        if lag.base == nil, change.isStructural {
            lag.setBase(shownHandles(of: change.query, before: position, of: log))
        }
        for step in change.steps {
            switch lag.absorb(step, checksum: { FieldSelection.checksum(of: $0, fields: fields) }) {
            case .retain(let handle): state.retain(handle)
            case .release(let handle): state.release(handle)
            case nil: break
            }
        }
    }

    /// Returns the list that observers saw before the change that is being notified.
    private func shownHandles(of query: QueryID, before position: Int, of log: [ChangeRecord]) -> [ListHandle] {
        var handles = state.shownHandles(of: query)
        var at = state.lastChange(of: query)
        while let index = at, index >= position, case .query(let later) = log[index] {
            for step in later.steps.reversed() { undo(step, &handles) }
            at = later.previous
        }
        return handles
    }

    private func undo(_ step: ListStep, _ handles: inout [ListHandle]) {
        switch step {
        case .add(_, let index): handles.remove(at: index)
        case .remove(let value, let index): handles.insert(value.handle, at: index)
        case .replace: break
        case .move(let handle, let from, let to):
            handles.remove(at: to)
            handles.insert(handle, at: from)
        }
    }

    /// Notifies a slow observer of all changes since it fell behind.
    ///
    /// - Returns: False when its sink has no room for this notification either.
    func catchUp(_ subscription: SubscriptionID, isForced: Bool) -> Bool {
        guard let observer = observers.queryObservers[subscription], let lag = observer.lag else { return true }
        if lag.wasHeldBack, observer.isRefreshed {
            // The age of these entities was unknown when they entered the list.
            follow(state.shownHandles(of: observer.query), for: subscription, fields: observer.fields)
        }
        var resources: [ListHandle: [UInt8]] = [:]
        func selected(_ handle: ListHandle) -> [UInt8] {
            if let known = resources[handle] { return known }
            let resource = FieldSelection.resource(state.resource(of: handle) ?? [], fields: observer.fields)
            resources[handle] = resource
            return resource
        }
        let operations = lag.operations(
            to: { state.shownHandles(of: observer.query) },
            checksum: { FieldSelection.checksum(ofSelected: selected($0)) })
        let isStale = state.isStale(observer.query, at: clock.now()) || isTooOld(observer)
        if !operations.isEmpty || isStale != observer.shownStale {
            let unloggedCount = state.unloggedCount(of: observer.query) - lag.unloggedCount
            let notification = CacheNotification.query(
                QueryNotification(
                    subscription: subscription, operations: operations.map { $0.map(selected) },
                    isStale: isStale, asOf: state.asOf(observer.query),
                    isPending: state.isPending(observer.query),
                    missed: lag.count + unloggedCount - 1))
            if isForced {
                observer.sink.deliver(notification)
            } else if !observer.sink.offer(notification) {
                return false
            }
            observers.countNotification()
        }
        endLag(of: observer)
        observer.shownStale = isStale
        return true
    }

    /// Drops the lag of an observer that has caught up or ends.
    func endLag(of observer: ObserverRegistry.QueryObserver) {
        guard let lag = observer.lag else { return }
        for handle in lag.left { state.release(handle) }
        observer.lag = nil
        state.endLag(of: observer.query, isWhole: observer.fields == nil)
    }

    // MARK: Entities

    private func notify(_ change: EntityChange) {
        for subscription in observers.byEntity[change.handle] ?? [] {
            guard let observer = observers.entityObservers[subscription] else { continue }
            if observer.isRefreshed { follow([change.handle], for: subscription, fields: observer.fields) }
            guard observer.lag == nil else { continue }
            let old = change.old.flatMap {
                FieldSelection.known($0, isWhole: change.wasWhole, fields: observer.fields)
            }
            let new = change.payload.flatMap {
                FieldSelection.known($0, isWhole: change.isWhole, fields: observer.fields)
            }
            guard old != new else { continue }
            let isStale = observer.isRefreshed ? staleness(for: subscription) : nil
            let notification = CacheNotification.entity(
                EntityNotification(
                    subscription: subscription, entity: new, changedFields: FieldSelection.changedFields(old, new),
                    isStale: isStale))
            if observer.sink.offer(notification) {
                observers.countNotification()
                observers.show(subscription, isStale: isStale)
            } else {
                observers.fallBehind(subscription, old: old)
            }
        }
    }

    /// Returns the staleness to send to an observer of an entity; nil for an observer without `refreshes`.
    private func staleness(for subscription: SubscriptionID) -> Bool? {
        refreshes[subscription].map(\.isTooOld)
    }

    private func catchUpEntity(_ subscription: SubscriptionID, isForced: Bool) -> Bool {
        guard let observer = observers.entityObservers[subscription], let lag = observer.lag else { return true }
        let isWhole = state.completeness(of: observer.handle) == .whole
        let new = state.resource(of: observer.handle).flatMap {
            FieldSelection.known($0, isWhole: isWhole, fields: observer.fields)
        }
        let isStale = staleness(for: subscription)
        if lag.old != new || isStale.map({ $0 != observer.shownStale }) ?? false {
            let notification = CacheNotification.entity(
                EntityNotification(
                    subscription: subscription, entity: new, changedFields: FieldSelection.changedFields(lag.old, new),
                    isStale: isStale))
            if isForced {
                observer.sink.deliver(notification)
            } else if !observer.sink.offer(notification) {
                return false
            }
            observers.countNotification()
        }
        observers.show(subscription, isStale: isStale)
        return true
    }

    // MARK: Libraries

    private func notify(_ status: LibraryStatus) {
        for sink in observers.librarySinks {
            if !sink.offer(.library(status)) { sink.deliver(.library(status)) }
            observers.countNotification()
        }
    }

    // MARK: Catching up

    /// Offers merged changes to the observers of a sink that has room again, in the order in which they fell behind.
    package func resume(_ sink: any ObserverSink) {
        catchUp(sink, isForced: false)
    }

    /// Delivers all merged changes to a sink, because its owner is about to write something that has to come later.
    package func deliverAll(to sink: any ObserverSink) {
        catchUp(sink, isForced: true)
    }

    private func catchUp(_ sink: any ObserverSink, isForced: Bool) {
        let subscriptions = observers.takeLagging(of: sink)
        for (index, subscription) in subscriptions.enumerated() {
            if isHeldBack(subscription) {
                observers.noteLag(subscription, of: sink)
                continue
            }
            if catchUp(subscription, isForced: isForced), catchUpEntity(subscription, isForced: isForced),
                catchUpLog(subscription, isForced: isForced)
            {
                continue
            }
            for rest in subscriptions[index...] { observers.noteLag(rest, of: sink) }
            break
        }
        for wing in wings.all { wing.catchUp(sink, isForced: isForced, in: self) }
        state.clearLog()
    }
}
