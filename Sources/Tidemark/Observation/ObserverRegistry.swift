// Stage 7a of 7: changes → observers. Before: QueryIndex. After: each observer's sink. Laws: L6, L8.

import TidemarkModel
import TidemarkStore

/// The observers of queries and entities, and the changes that slow observers have not seen.
///
/// A sink with room gets each change as it happens. For a sink without room, the registry keeps what its observer saw
/// last, and sends the whole difference when there is room. Memory is therefore bounded by the observed lists, however
/// many changes follow. Beyond `observerCountMax` an observer is refused.
struct ObserverRegistry {
    /// An observer of a query. A class, because each change of the list reads the observer, and copying it would cost
    /// more than reading it.
    final class QueryObserver {
        let query: QueryID
        let key: QueryKey
        /// The names of the selected top-level fields; nil for whole resources.
        let fields: Set<[UInt8]>?
        let sink: any ObserverSink
        var shownStale: Bool
        /// True if the observer has `refreshes`. For other observers a change costs only the test of this flag.
        var isRefreshed = false
        var lag: QueryLag?
        /// The observer's number, set when it is added.
        fileprivate(set) var subscription = SubscriptionID(0)

        init(query: QueryID, key: QueryKey, fields: Set<[UInt8]>?, sink: any ObserverSink, shownStale: Bool) {
            self.query = query
            self.key = key
            self.fields = fields
            self.sink = sink
            self.shownStale = shownStale
        }
    }

    struct EntityObserver {
        var handle: ListHandle
        var key: EntityKey
        let fields: Set<[UInt8]>?
        let sink: any ObserverSink
        var lag: EntityLag?
        /// True if the observer has `refreshes`.
        var isRefreshed = false
        /// The staleness that the observer was notified of last; used only with `refreshes`.
        var shownStale = false
    }

    /// The state of an entity that a slow observer saw last.
    struct EntityLag {
        /// The resource with the selected fields; nil when there was none.
        var old: [UInt8]?
    }

    /// An observer of the log of events.
    struct LogObserver {
        let sink: any ObserverSink
        /// The number of events for which the sink had no room.
        var missed = 0
    }

    private(set) var queryObservers: [SubscriptionID: QueryObserver] = [:]
    /// The observers of the log. Bounded by ``EventLog/tapCountMax``.
    private(set) var logObservers: [SubscriptionID: LogObserver] = [:]
    private(set) var entityObservers: [SubscriptionID: EntityObserver] = [:]
    /// The observers by their query's number, in the order in which they were made. Bounded by `queryCountMax`.
    private var byQuery: [[QueryObserver]] = []
    private(set) var observedQueryCount = 0
    private(set) var byEntity: [ListHandle: [SubscriptionID]] = [:]
    /// The observers of each sink.
    private var bySink: [ObjectIdentifier: Set<SubscriptionID>] = [:]
    /// The sinks that get every change of a library's status: one for each session, so few.
    private(set) var librarySinks: [any ObserverSink] = []
    /// The observers with a lag, by sink and in the order in which they fell behind. Those that have caught up are
    /// skipped.
    private var lagging: [ObjectIdentifier: [SubscriptionID]] = [:]
    /// The queries with observers that fell behind because entities had to be loaded, each once and in that order.
    /// Bounded by the observed queries.
    private var heldBack: [QueryID] = []
    /// The task that loads entities into the reserves of observed lists; nil when none is awaited.
    private(set) var reserveLoad: Task<Void, Never>?
    private var nextSubscription: Int64 = 1
    /// The number of notifications that sinks took.
    private(set) var notificationCount: Int64 = 0

    var count: Int { queryObservers.count + entityObservers.count + logObservers.count }

    /// Returns a query's observers, in the order in which they were made.
    func observers(of query: QueryID) -> [QueryObserver] {
        Int(query) < byQuery.count ? byQuery[Int(query)] : []
    }

    func isObserved(_ query: QueryID) -> Bool { !observers(of: query).isEmpty }

    /// Returns a sink's observers, in the order in which they were made.
    func subscriptions(of sink: any ObserverSink) -> [SubscriptionID] {
        (bySink[ObjectIdentifier(sink)] ?? []).sorted { $0.rawValue < $1.rawValue }
    }

    mutating func add(_ observer: QueryObserver) -> SubscriptionID {
        let subscription = takeSubscription()
        observer.subscription = subscription
        queryObservers[subscription] = observer
        bySink[ObjectIdentifier(observer.sink), default: []].insert(subscription)
        while byQuery.count <= Int(observer.query) { byQuery.append([]) }
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

    mutating func add(_ observer: LogObserver, as subscription: SubscriptionID) {
        logObservers[subscription] = observer
        bySink[ObjectIdentifier(observer.sink), default: []].insert(subscription)
    }

    mutating func removeLogObserver(_ subscription: SubscriptionID) -> LogObserver? {
        guard let observer = logObservers.removeValue(forKey: subscription) else { return nil }
        forget(subscription, of: observer.sink)
        return observer
    }

    mutating func takeSubscription() -> SubscriptionID {
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

    /// Moves the observers of an entity to the entity that replaces it under its real id.
    mutating func rename(_ old: ListHandle, to new: ListHandle, _ key: EntityKey) {
        guard let subscriptions = byEntity.removeValue(forKey: old) else { return }
        for subscription in subscriptions {
            entityObservers[subscription]?.handle = new
            entityObservers[subscription]?.key = key
        }
        byEntity[new, default: []].append(contentsOf: subscriptions)
    }

    // MARK: What observers have seen

    /// Records that a sink took a notification.
    mutating func countNotification() { notificationCount += 1 }

    /// Records that an observer has `refreshes`.
    mutating func refresh(_ subscription: SubscriptionID) {
        queryObservers[subscription]?.isRefreshed = true
        entityObservers[subscription]?.isRefreshed = true
    }

    /// Records that an entity's observer has seen its current state.
    ///
    /// - Parameter isStale: The staleness that it was notified of; nil leaves the last one.
    mutating func show(_ subscription: SubscriptionID, isStale: Bool?) {
        entityObservers[subscription]?.lag = nil
        if let isStale { entityObservers[subscription]?.shownStale = isStale }
    }

    /// Records that the sink of an entity's observer had no room.
    ///
    /// - Parameter old: The state that the observer saw last.
    mutating func fallBehind(_ subscription: SubscriptionID, old: [UInt8]?) {
        guard let observer = entityObservers[subscription] else { return }
        entityObservers[subscription]?.lag = EntityLag(old: old)
        noteLag(subscription, of: observer.sink)
    }

    /// Sets the number of events that an observer of the log has missed.
    mutating func setMissed(_ count: Int, of subscription: SubscriptionID) {
        logObservers[subscription]?.missed = count
    }

    // MARK: Libraries and reserves

    /// Adds a sink that gets every change of a library's status.
    mutating func addLibrarySink(_ sink: any ObserverSink) { librarySinks.append(sink) }

    /// Removes a sink from those that get changes of libraries.
    mutating func removeLibrarySink(_ sink: any ObserverSink) { librarySinks.removeAll { $0 === sink } }

    /// Records the task that loads entities into reserves; nil when it has ended.
    mutating func setReserveLoad(_ task: Task<Void, Never>?) { reserveLoad = task }

    private mutating func forget(_ subscription: SubscriptionID, of sink: any ObserverSink) {
        bySink[ObjectIdentifier(sink)]?.remove(subscription)
        if bySink[ObjectIdentifier(sink)]?.isEmpty == true { bySink[ObjectIdentifier(sink)] = nil }
    }

    mutating func noteLag(_ subscription: SubscriptionID, of sink: any ObserverSink) {
        lagging[ObjectIdentifier(sink), default: []].append(subscription)
    }

    /// Removes an observer from the lagging ones of its sink, because it was notified without waiting for the sink.
    mutating func forgetLag(_ subscription: SubscriptionID, of sink: any ObserverSink) {
        lagging[ObjectIdentifier(sink)]?.removeAll { $0 == subscription }
        if lagging[ObjectIdentifier(sink)]?.isEmpty == true { lagging[ObjectIdentifier(sink)] = nil }
    }

    var isHeldBack: Bool { !heldBack.isEmpty }

    mutating func holdBack(_ query: QueryID) {
        if !heldBack.contains(query) { heldBack.append(query) }
    }

    /// Removes and returns the queries with observers that were held back. The caller notifies them or adds them again.
    mutating func takeHeldBack() -> [QueryID] {
        defer { if !heldBack.isEmpty { heldBack = [] } }
        return heldBack
    }

    mutating func forgetLagging(of sink: any ObserverSink) {
        lagging[ObjectIdentifier(sink)] = nil
    }

    /// Removes and returns the lagging observers of a sink, in the order in which they fell behind. The caller notifies
    /// them or calls ``noteLag(_:of:)`` for them again.
    mutating func takeLagging(of sink: any ObserverSink) -> [SubscriptionID] {
        lagging.removeValue(forKey: ObjectIdentifier(sink)) ?? []
    }
}
