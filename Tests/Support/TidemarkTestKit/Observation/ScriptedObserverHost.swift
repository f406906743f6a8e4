import Tidemark
import TidemarkModel
import TidemarkStore

/// Replaces a cache in a test that decides what observers are notified of, and when.
///
/// It shows one list to every observer of a query, and one value to every observer of an entity. Like a cache it merges
/// changes while a sink refuses them.
package actor ScriptedObserverHost: ObserverHost {
    /// An element of the list.
    package struct Element: Equatable, Sendable {
        /// The identity of the element.
        package var handle: ListHandle
        /// The resource as JSON.
        package var json: String

        /// Creates an element.
        package init(_ handle: UInt32, _ json: String) {
            self.handle = ListHandle(rawValue: handle)
            self.json = json
        }
    }

    private struct Observer {
        var sink: any ObserverSink
        var subscription: SubscriptionID
        /// The list that the sink has after its last notification.
        var seen: [Element]
        /// How many notifications are merged.
        var keptCount = 0
        var later: (@Sendable (Result<QueryAnswer, CacheError>) -> Void)?
    }

    private var list: [Element]
    private var entity: String?
    private var observers: [Observer] = []
    private var nextSubscription: Int64 = 1
    private var areRepliesHeld = false
    private var heldReplies: [@Sendable () async -> Void] = []
    private var watchers: [CheckedContinuation<Void, Never>] = []
    private var failure: CacheError?

    /// The query requests so far.
    package private(set) var requests: [QueryRequest] = []
    /// The keys of the observed entities so far.
    package private(set) var entityKeys: [EntityKey] = []
    /// How often ``detach(_:)`` was called.
    package private(set) var detachCount = 0
    /// How often ``resume(_:)`` was called.
    package private(set) var resumeCount = 0

    /// Creates a host with the list and the entity that it shows; a nil entity is absent.
    package init(_ list: [Element] = [], entity: String? = nil) {
        self.list = list
        self.entity = entity
    }

    /// How many observers there are.
    package var observerCount: Int { observers.count }

    // MARK: The script

    /// Makes every read fail, until it is called with nil.
    package func fail(_ error: CacheError?) {
        failure = error
    }

    /// Holds replies back, like a slow upstream, until ``answer()``.
    package func holdReplies() {
        areRepliesHeld = true
    }

    /// Sends the replies that were held back, and holds no more.
    package func answer() async {
        areRepliesHeld = false
        for reply in heldReplies { await reply() }
        heldReplies = []
    }

    /// Shows another list, and notifies all observers.
    package func show(_ list: [Element]) {
        self.list = list
        for index in observers.indices { notify(index) }
    }

    /// Shows another entity, and notifies all observers.
    package func show(entity: String?, changedFields: [ByteString]) {
        self.entity = entity
        for observer in observers {
            _ = observer.sink.offer(
                .entity(
                    EntityNotification(
                        subscription: observer.subscription, entity: entity.map { Array($0.utf8) },
                        changedFields: changedFields)))
        }
    }

    /// Reports that the fetch after the first answer failed.
    package func failFetch(_ error: CacheError) {
        for observer in observers { observer.later?(.failure(error)) }
    }

    /// Returns once a condition on the host holds, or the task is cancelled, for example by a time limit.
    package func waitUntil(_ condition: @Sendable (isolated ScriptedObserverHost) -> Bool) async {
        await withTaskCancellationHandler {
            while !condition(self), !Task.isCancelled { await withCheckedContinuation { watchers.append($0) } }
        } onCancel: {
            Task { await self.notifyWatchers() }
        }
    }

    /// How many replies are held back.
    package var heldReplyCount: Int { heldReplies.count }

    // MARK: ObserverHost

    /// Records the request, and replies with the list.
    package func read(
        _ request: QueryRequest, observing sink: (any ObserverSink)?,
        reply: @escaping @Sendable (Result<QueryReply, CacheError>) -> Void,
        later: @escaping @Sendable (Result<QueryAnswer, CacheError>) -> Void
    ) async {
        requests.append(request)
        await answer(in: { await $0.replyToRead(sink, reply, later) })
    }

    /// Records the key, and replies with the entity.
    package func observe(
        _ request: EntityRequest, sink: any ObserverSink,
        reply: @escaping @Sendable (Result<(EntityRead, SubscriptionID), CacheError>) -> Void
    ) async {
        entityKeys.append(request.key)
        await answer(in: { await $0.replyToObserve(sink, reply) })
    }

    /// Notifies the sink's observers of merged changes.
    package func resume(_ sink: any ObserverSink) {
        resumeCount += 1
        for index in observers.indices where observers[index].sink === sink && observers[index].keptCount > 0 {
            notify(index)
        }
        notifyWatchers()
    }

    /// Removes the sink's observers.
    package func detach(_ sink: any ObserverSink) {
        detachCount += 1
        observers.removeAll { $0.sink === sink }
        notifyWatchers()
    }

    // MARK: Notifying

    private func answer(in body: @escaping @Sendable (ScriptedObserverHost) async -> Void) async {
        if areRepliesHeld { heldReplies.append { await body(self) } } else { await body(self) }
        notifyWatchers()
    }

    private func replyToRead(
        _ sink: (any ObserverSink)?, _ reply: @Sendable (Result<QueryReply, CacheError>) -> Void,
        _ later: @escaping @Sendable (Result<QueryAnswer, CacheError>) -> Void
    ) {
        if let failure { return reply(.failure(failure)) }
        let subscription = sink.map { subscribe($0, later) }
        let answer = QueryAnswer(
            entities: list.map { Array($0.json.utf8) }, keys: [], source: .cache, isStale: false, asOf: nil,
            isPending: false)
        reply(.success(QueryReply(answer: answer, subscription: subscription)))
    }

    private func replyToObserve(
        _ sink: any ObserverSink, _ reply: @Sendable (Result<(EntityRead, SubscriptionID), CacheError>) -> Void
    ) {
        if let failure { return reply(.failure(failure)) }
        let read = EntityRead(
            entity: entity.map { Array($0.utf8) }, isPending: false, sequence: nil, isStale: false,
            miss: entity == nil ? .absent : nil)
        reply(.success((read, subscribe(sink, nil))))
    }

    private func subscribe(
        _ sink: any ObserverSink, _ later: (@Sendable (Result<QueryAnswer, CacheError>) -> Void)?
    ) -> SubscriptionID {
        let subscription = SubscriptionID(nextSubscription)
        nextSubscription += 1
        observers.append(Observer(sink: sink, subscription: subscription, seen: list, later: later))
        return subscription
    }

    private func notify(_ index: Int) {
        let seen = Dictionary(uniqueKeysWithValues: observers[index].seen.map { ($0.handle, $0.json) })
        let now = Dictionary(uniqueKeysWithValues: list.map { ($0.handle, $0.json) })
        let operations = ListDifference.operations(
            from: observers[index].seen.map(\.handle), to: list.map(\.handle), isReplaced: { seen[$0] != now[$0] })
        let notification = QueryNotification(
            subscription: observers[index].subscription,
            operations: operations.map { $0.map { Array((now[$0] ?? "").utf8) } }, isStale: false, asOf: nil,
            isPending: false, missed: max(0, observers[index].keptCount - 1))
        if observers[index].sink.offer(.query(notification)) {
            observers[index].seen = list
            observers[index].keptCount = 0
        } else {
            observers[index].keptCount += 1
        }
    }

    private func notifyWatchers() {
        for watcher in watchers { watcher.resume() }
        watchers = []
    }
}
