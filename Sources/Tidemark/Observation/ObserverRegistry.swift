// Stage 7a of 7: changes → observers. Before: QueryIndex. After: each observer's sink. Laws: L6, L8.

import TidemarkModel
import TidemarkStore

/// Who observes what, and what those who are slow have not heard.
///
/// A sink that has room gets each change as it happens. For one that has none the registry remembers what its observer
/// saw last, once, and tells the whole way from there to now when there is room: memory is bounded by the observed
/// lists however much happens meanwhile. At `observerCountMax` one more is refused.
struct ObserverRegistry {
    /// One object: each change of its list looks at it, and copying it would cost more than looking.
    final class QueryObserver {
        let query: UInt32
        let key: QueryKey
        /// nil: whole resources.
        let fields: Set<[UInt8]>?
        let sink: any ObserverSink
        var shownStale: Bool
        /// It asked to be refreshed; changes cost those who did not no more than a look at this.
        var isRefreshed = false
        var lag: QueryLag?
        /// Given when it is added.
        fileprivate(set) var subscription = SubscriptionID(0)

        init(query: UInt32, key: QueryKey, fields: Set<[UInt8]>?, sink: any ObserverSink, shownStale: Bool) {
            self.query = query
            self.key = key
            self.fields = fields
            self.sink = sink
            self.shownStale = shownStale
        }
    }

    struct EntityObserver {
        var handle: UInt32
        var key: EntityKey
        let fields: Set<[UInt8]>?
        let sink: any ObserverSink
        var lag: EntityLag?
        /// It asked to be refreshed.
        var isRefreshed = false
        /// What it was told last, where it asked to be refreshed.
        var shownStale = false
    }

    /// What a slow observer of an entity saw last.
    struct EntityLag {
        /// As selected; nil when there was nothing.
        var old: [UInt8]?
    }

    var queryObservers: [SubscriptionID: QueryObserver] = [:]
    var entityObservers: [SubscriptionID: EntityObserver] = [:]
    /// By the number of a query, in the order they were made. Bounded by `queryCountMax`.
    private var byQuery: [[QueryObserver]] = []
    private(set) var observedQueryCount = 0
    private(set) var byEntity: [UInt32: [SubscriptionID]] = [:]
    /// Every observer of a sink.
    private var bySink: [ObjectIdentifier: Set<SubscriptionID>] = [:]
    /// Sinks that are told of every library. Few: one a session.
    var librarySinks: [any ObserverSink] = []
    /// Observers with a lag, in the order they fell behind; those that caught up are skipped.
    var lagging: [ObjectIdentifier: [SubscriptionID]] = [:]
    /// Queries some of whose observers fell behind because what they see had to be loaded; each once, in the order of that. Bounded by
    /// the queries that are observed.
    private var heldBack: [UInt32] = []
    private var nextSubscription: Int64 = 1
    /// Notifications that sinks took.
    var notificationCount: Int64 = 0

    var count: Int { queryObservers.count + entityObservers.count }

    /// A query's observers, in the order they were made.
    func observers(of query: UInt32) -> [QueryObserver] {
        query < byQuery.count ? byQuery[Int(query)] : []
    }

    func isObserved(_ query: UInt32) -> Bool { !observers(of: query).isEmpty }

    /// A sink's observers, in the order they were made.
    func subscriptions(of sink: any ObserverSink) -> [SubscriptionID] {
        (bySink[ObjectIdentifier(sink)] ?? []).sorted { $0.rawValue < $1.rawValue }
    }

    mutating func add(_ observer: QueryObserver) -> SubscriptionID {
        let subscription = takeSubscription()
        observer.subscription = subscription
        queryObservers[subscription] = observer
        bySink[ObjectIdentifier(observer.sink), default: []].insert(subscription)
        while byQuery.count <= observer.query { byQuery.append([]) }
        if byQuery[Int(observer.query)].isEmpty { observedQueryCount += 1 }
        byQuery[Int(observer.query)].append(observer)
        return subscription
    }

    mutating func add(_ observer: EntityObserver) -> SubscriptionID {
        let subscription = takeSubscription()
        entityObservers[subscription] = observer
        bySink[ObjectIdentifier(observer.sink), default: []].insert(subscription)
        byEntity[observer.handle, default: []].append(subscription)
        return subscription
    }

    private mutating func takeSubscription() -> SubscriptionID {
        defer { nextSubscription += 1 }
        return SubscriptionID(nextSubscription)
    }

    mutating func removeQueryObserver(_ subscription: SubscriptionID) -> QueryObserver? {
        guard let observer = queryObservers.removeValue(forKey: subscription) else { return nil }
        byQuery[Int(observer.query)].removeAll { $0 === observer }
        if byQuery[Int(observer.query)].isEmpty { observedQueryCount -= 1 }
        forget(subscription, of: observer.sink)
        return observer
    }

    mutating func removeEntityObserver(_ subscription: SubscriptionID) -> EntityObserver? {
        guard let observer = entityObservers.removeValue(forKey: subscription) else { return nil }
        byEntity[observer.handle]?.removeAll { $0 == subscription }
        if byEntity[observer.handle]?.isEmpty == true { byEntity[observer.handle] = nil }
        forget(subscription, of: observer.sink)
        return observer
    }

    /// Observers of an entity go on with the one it became.
    mutating func rename(_ old: UInt32, to new: UInt32, _ key: EntityKey) {
        guard let subscriptions = byEntity.removeValue(forKey: old) else { return }
        for subscription in subscriptions {
            entityObservers[subscription]?.handle = new
            entityObservers[subscription]?.key = key
        }
        byEntity[new, default: []].append(contentsOf: subscriptions)
    }

    private mutating func forget(_ subscription: SubscriptionID, of sink: any ObserverSink) {
        bySink[ObjectIdentifier(sink)]?.remove(subscription)
        if bySink[ObjectIdentifier(sink)]?.isEmpty == true { bySink[ObjectIdentifier(sink)] = nil }
    }

    mutating func noteLag(_ subscription: SubscriptionID, of sink: any ObserverSink) {
        lagging[ObjectIdentifier(sink), default: []].append(subscription)
    }

    /// An observer was told although its sink had not said that it has room.
    mutating func forgetLag(_ subscription: SubscriptionID, of sink: any ObserverSink) {
        lagging[ObjectIdentifier(sink)]?.removeAll { $0 == subscription }
        if lagging[ObjectIdentifier(sink)]?.isEmpty == true { lagging[ObjectIdentifier(sink)] = nil }
    }

    var isHeldBack: Bool { !heldBack.isEmpty }

    mutating func holdBack(_ query: UInt32) {
        if !heldBack.contains(query) { heldBack.append(query) }
    }

    /// Queries whose observers were held back; the caller tells them or notes them again.
    mutating func takeHeldBack() -> [UInt32] {
        defer { if !heldBack.isEmpty { heldBack = [] } }
        return heldBack
    }

    mutating func forgetLagging(of sink: any ObserverSink) {
        lagging[ObjectIdentifier(sink)] = nil
    }

    /// The observers of a sink that fell behind, in that order; the caller tells them or notes them again.
    mutating func takeLagging(of sink: any ObserverSink) -> [SubscriptionID] {
        lagging.removeValue(forKey: ObjectIdentifier(sink)) ?? []
    }
}
