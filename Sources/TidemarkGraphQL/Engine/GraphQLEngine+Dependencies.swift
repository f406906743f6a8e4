import Tidemark
import TidemarkModel
import TidemarkStore
import TidemarkJSON

/// The entities and lists that watchers depend on, and the end of watchers.
extension GraphQLEngine {
    func add(_ watcher: DocumentWatcher, _ visits: [EntityVisit], in cache: isolated SyncCache) {
        watchers[watcher.subscription] = watcher
        depend(watcher, on: visits, in: cache)
    }

    /// Records the entities and lists that a watcher's last run looked at. Only changes of these wake it.
    func depend(_ watcher: DocumentWatcher, on visits: [EntityVisit], in cache: isolated SyncCache) {
        var keys: [GraphQLKey: ListHandle] = [:]
        var handles: [ListHandle: WantedFields] = [:]
        keys.reserveCapacity(watcher.keys.count)
        handles.reserveCapacity(watcher.keys.count)
        for visit in visits {
            if let handle = keys[visit.key] {
                handles[handle]?.add(visit.collection)
                continue
            }
            let known = watcher.keys[visit.key]
            guard let handle = known ?? cache.watch(visit.key.entityKey(in: watcher.library)) else { continue }
            keys[visit.key] = handle
            handles[handle] = WantedFields(visit.collection)
            if watcher.handles[handle] == nil { watchersByHandle[handle, default: []].append(watcher) }
        }
        for (key, handle) in watcher.keys where keys[key] == nil { forget(watcher, handle, in: cache) }
        watcher.keys = keys
        watcher.handles = handles
        let queries = watcher.plan.rootNames.flatMap { cache.watch($0, in: watcher.library) }
        for query in queries { watchersByQuery[query, default: []].append(watcher) }
        for query in watcher.queries { forget(watcher, query: query, in: cache) }
        watcher.queries = queries
    }

    private func forget(_ watcher: DocumentWatcher, _ handle: ListHandle, in cache: isolated SyncCache) {
        watchersByHandle[handle]?.removeAll { $0 === watcher }
        if watchersByHandle[handle]?.isEmpty == true { watchersByHandle[handle] = nil }
        cache.stopWatching(handle)
    }

    private func forget(_ watcher: DocumentWatcher, query: QueryID, in cache: isolated SyncCache) {
        if let place = watchersByQuery[query]?.firstIndex(where: { $0 === watcher }) {
            watchersByQuery[query]?.remove(at: place)
        }
        if watchersByQuery[query]?.isEmpty == true { watchersByQuery[query] = nil }
        cache.stopWatching(query: query)
    }

    /// Ends a watcher or a subscription.
    ///
    /// - Returns: False if there is none of this number.
    package func cancel(_ subscription: SubscriptionID, in cache: isolated SyncCache) -> Bool {
        if let stream = streams.first(where: { $0.value.subscription == subscription }) {
            streams[stream.key] = nil
            stream.value.task?.cancel()
            upstream?.stop(fetch: stream.key)
            return true
        }
        guard let watcher = watchers.removeValue(forKey: subscription) else { return false }
        watcher.isEnded = true
        if let key = watcher.delivery { abandon(subscription, key, in: cache) }
        watcher.expiry?.cancel()
        for handle in watcher.keys.values { forget(watcher, handle, in: cache) }
        for query in watcher.queries { forget(watcher, query: query, in: cache) }
        dirty.removeAll { $0 === watcher }
        lagging.removeAll { $0 === watcher }
        return true
    }

    /// Ends all watchers and subscriptions of a sink, and the reads that would start one.
    package func detach(_ sink: any ObserverSink, in cache: isolated SyncCache) {
        let own =
            watchers.values.filter { $0.sink === sink }.map(\.subscription)
            + streams.values.filter { $0.sink === sink }.map(\.subscription)
        for subscription in own { _ = cancel(subscription, in: cache) }
        dropWaiters(in: cache) { $0.sink === sink }
    }
}
