import TidemarkModel
import TidemarkStore

extension SyncCache {
    /// Tells observers what the last change did, in order, and wakes who waits for a place in a log.
    ///
    /// Called in the same step as the change: nothing can come between a change and its notifications.
    func distribute() {
        if observers.count > 0 || !observers.librarySinks.isEmpty {
            let log = state.changeLog
            let toldCount = observers.notificationCount
            for (position, record) in log.enumerated() {
                switch record {
                case .query(let change): tell(change, at: position, of: log)
                case .entity(let change): tell(change)
                case .renamed(let old, let new, let key): observers.rename(old, to: new, key)
                case .library(let status): tell(status)
                }
            }
            metrics.recordNotifications(Int(observers.notificationCount - toldCount))
        }
        state.clearLog()
        if !positionWaiters.isEmpty { wakePositionWaiters() }
    }

    // MARK: Queries

    private func tell(_ change: QueryChange, at position: Int, of log: [ChangeRecord]) {
        for subscription in observers.byQuery[change.query] ?? [] {
            guard let observer = observers.queryObservers[subscription] else { continue }
            if let lag = observer.lag {
                absorb(change, lag, fields: observer.fields)
                continue
            }
            let operations = Selection.operations(change.steps, fields: observer.fields)
            guard !operations.isEmpty || change.isStale != observer.shownStale else { continue }
            let notification = QueryNotification(
                subscription: subscription, operations: operations, isStale: change.isStale, asOf: change.asOf,
                isPending: change.isPending, missed: 0)
            if observer.sink.offer(.query(notification)) {
                observers.notificationCount += 1
                observers.queryObservers[subscription]?.shownStale = change.isStale
            } else {
                fallBehind(change, subscription, observer, at: position, of: log)
            }
        }
    }

    /// Remembers what an observer saw before a change that its sink had no room for.
    private func fallBehind(
        _ change: QueryChange, _ subscription: SubscriptionID, _ observer: ObserverRegistry.QueryObserver,
        at position: Int, of log: [ChangeRecord]
    ) {
        var base = state.shownHandles(of: change.query)
        var at = state.lastChange(of: change.query)
        while let index = at, index >= position, case .query(let later) = log[index] {
            for step in later.steps.reversed() { undo(step, &base) }
            at = later.previous
        }
        for handle in base { state.retain(handle) }
        let lag = ObserverRegistry.QueryLag(base: base, isStale: observer.shownStale)
        observers.queryObservers[subscription]?.lag = lag
        if observer.fields == nil { state.addListeners(-1, to: observer.query) }
        observers.noteLag(subscription, of: observer.sink)
        absorb(change, lag, fields: observer.fields)
    }

    private func undo(_ step: ListStep, _ handles: inout [UInt32]) {
        switch step {
        case .add(_, let index): handles.remove(at: index)
        case .remove(let value, let index): handles.insert(value.handle, at: index)
        case .replace: break
        case .move(let handle, let from, let to):
            handles.remove(at: to)
            handles.insert(handle, at: from)
        }
    }

    /// Adds a change to what a slow observer has not heard.
    private func absorb(_ change: QueryChange, _ lag: ObserverRegistry.QueryLag, fields: Set<[UInt8]>?) {
        if change.isStale != lag.isStale || Selection.isVisible(change.steps, fields: fields) {
            lag.count += 1
            lag.isStale = change.isStale
        }
        for step in change.steps {
            switch step {
            case .replace(let value, _), .remove(let value, _):
                guard let known = lag.olds[value.handle], known == nil else { continue }
                lag.olds[value.handle] = .some(Selection.checksum(of: value.old, fields: fields))
            case .add, .move: break
            }
        }
    }

    /// Tells a slow observer of everything since it fell behind.
    ///
    /// - Returns: false when its sink has no room for that either.
    private func catchUp(_ subscription: SubscriptionID, isForced: Bool) -> Bool {
        guard let observer = observers.queryObservers[subscription], let lag = observer.lag else { return true }
        let after = state.shownHandles(of: observer.query)
        var resources: [UInt32: [UInt8]] = [:]
        func selected(_ handle: UInt32) -> [UInt8] {
            if let known = resources[handle] { return known }
            let resource = Selection.resource(state.resource(of: handle) ?? [], fields: observer.fields)
            resources[handle] = resource
            return resource
        }
        let operations = ListDifference.operations(from: lag.base, to: after) { handle in
            guard let old = lag.olds[handle] ?? nil else { return false }
            return old != Selection.checksum(ofSelected: selected(handle))
        }
        let isStale = state.isStale(observer.query, at: clock.now())
        if !operations.isEmpty || isStale != observer.shownStale {
            let notification = CacheNotification.query(
                QueryNotification(
                    subscription: subscription, operations: operations.map { $0.map(selected) },
                    isStale: isStale, asOf: state.asOf(observer.query),
                    isPending: state.isPending(observer.query), missed: lag.count - 1))
            if isForced {
                observer.sink.deliver(notification)
            } else if !observer.sink.offer(notification) {
                return false
            }
            observers.notificationCount += 1
        }
        for handle in lag.base { state.release(handle) }
        observers.queryObservers[subscription]?.lag = nil
        if observer.fields == nil { state.addListeners(1, to: observer.query) }
        observers.queryObservers[subscription]?.shownStale = isStale
        return true
    }

    // MARK: Entities

    private func tell(_ change: EntityChange) {
        for subscription in observers.byEntity[change.handle] ?? [] {
            guard let observer = observers.entityObservers[subscription], observer.lag == nil else { continue }
            let old = change.old.map { Selection.resource($0, fields: observer.fields) }
            let new = change.payload.map { Selection.resource($0, fields: observer.fields) }
            guard old != new else { continue }
            let notification = CacheNotification.entity(
                EntityNotification(
                    subscription: subscription, entity: new, changedFields: Selection.changedFields(old, new)))
            if observer.sink.offer(notification) {
                observers.notificationCount += 1
            } else {
                observers.entityObservers[subscription]?.lag = ObserverRegistry.EntityLag(old: old)
                observers.noteLag(subscription, of: observer.sink)
            }
        }
    }

    private func catchUpEntity(_ subscription: SubscriptionID, isForced: Bool) -> Bool {
        guard let observer = observers.entityObservers[subscription], let lag = observer.lag else { return true }
        let new = state.resource(of: observer.handle).map { Selection.resource($0, fields: observer.fields) }
        if lag.old != new {
            let notification = CacheNotification.entity(
                EntityNotification(
                    subscription: subscription, entity: new, changedFields: Selection.changedFields(lag.old, new)))
            if isForced {
                observer.sink.deliver(notification)
            } else if !observer.sink.offer(notification) {
                return false
            }
            observers.notificationCount += 1
        }
        observers.entityObservers[subscription]?.lag = nil
        return true
    }

    // MARK: Libraries

    private func tell(_ status: LibraryStatus) {
        for sink in observers.librarySinks {
            if !sink.offer(.library(status)) { sink.deliver(.library(status)) }
            observers.notificationCount += 1
        }
    }

    // MARK: Catching up

    /// There is room again: offers what was kept together for the sink's observers, in the order they fell behind.
    package func resume(_ sink: any ObserverSink) {
        catchUp(sink, isForced: false)
    }

    /// Delivers everything that is kept together for the sink: something that must come after it is about to be written.
    package func settle(_ sink: any ObserverSink) {
        catchUp(sink, isForced: true)
    }

    private func catchUp(_ sink: any ObserverSink, isForced: Bool) {
        let subscriptions = observers.takeLagging(of: sink)
        for (index, subscription) in subscriptions.enumerated() {
            if catchUp(subscription, isForced: isForced), catchUpEntity(subscription, isForced: isForced) { continue }
            for rest in subscriptions[index...] { observers.noteLag(rest, of: sink) }
            break
        }
        state.clearLog()
    }
}
