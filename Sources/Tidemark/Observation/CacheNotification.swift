import TidemarkModel
import TidemarkStore

/// The number of an observer. A cache never uses one twice.
public struct SubscriptionID: Hashable, Sendable {
    /// The number as hosts see it.
    public let rawValue: Int64

    package init(_ rawValue: Int64) {
        self.rawValue = rawValue
    }
}

/// What a cache sends to an observer or a session.
package enum CacheNotification: Sendable {
    /// A change of an observed list.
    case query(QueryNotification)
    /// A change of an observed entity.
    case entity(EntityNotification)
    /// A change of a library's phase or lost numbers.
    case library(LibraryStatus)
    /// A change of a watched document.
    case document(DocumentNotification)
    /// Events of the observed log.
    case log(LogNotification)
}

/// Events of the log that an observer has not seen yet.
package struct LogNotification: Sendable {
    /// The number of the observer.
    package var subscription: SubscriptionID
    /// The events, in the order in which they were counted.
    package var events: [LoggedEvent]
    /// How many earlier events the observer wanted that are not listed, because there were too many.
    package var missed: Int

    package init(subscription: SubscriptionID, events: [LoggedEvent], missed: Int) {
        self.subscription = subscription
        self.events = events
        self.missed = missed
    }
}

/// What changed in a list since its observer was last notified.
package struct QueryNotification: Sendable {
    /// The number of the observer.
    package var subscription: SubscriptionID
    /// The steps from the list that the observer saw last, to be applied in order. Elements are resources as JSON, with
    /// the selected fields.
    package var operations: [ListOperation<[UInt8]>]
    /// True if the list, or an element of it, is known to be older than allowed.
    package var isStale: Bool
    /// The sequence up to which the server's response includes changes; nil when unknown.
    package var asOf: EventSequence?
    /// True if some element shows an optimistic edit.
    package var isPending: Bool
    /// How many notifications were merged into this one because the observer was slow.
    package var missed: Int

    package init(
        subscription: SubscriptionID, operations: [ListOperation<[UInt8]>], isStale: Bool, asOf: EventSequence?,
        isPending: Bool, missed: Int
    ) {
        self.subscription = subscription
        self.operations = operations
        self.isStale = isStale
        self.asOf = asOf
        self.isPending = isPending
        self.missed = missed
    }
}

/// What changed in an entity since its observer was last notified.
package struct EntityNotification: Sendable {
    /// The number of the observer.
    package var subscription: SubscriptionID
    /// The resource as JSON, with the selected fields; nil when there is none now.
    package var entity: [UInt8]?
    /// The names of the top-level fields that differ, sorted by bytes.
    package var changedFields: [ByteString]
    /// True if some field is too old; nil for an observer without `refreshes`.
    package var isStale: Bool?

    package init(
        subscription: SubscriptionID, entity: [UInt8]?, changedFields: [ByteString], isStale: Bool? = nil
    ) {
        self.subscription = subscription
        self.entity = entity
        self.changedFields = changedFields
        self.isStale = isStale
    }
}

/// Receives the notifications of observers. Called on the cache's executor; must not block.
package protocol ObserverSink: AnyObject, Sendable {
    /// Takes a notification if there is room.
    ///
    /// - Returns: False when there is no room. The cache then merges the observer's changes, in bounded memory, until
    ///   ``SyncCache/resume(_:)`` or ``SyncCache/deliverAll(to:)`` is called for the sink.
    func offer(_ notification: CacheNotification) -> Bool

    /// Takes a notification even without room, because the sink's owner is about to write something that has to follow
    /// it.
    func deliver(_ notification: CacheNotification)

    /// Returns when a notification that cannot be merged with others has room.
    func waitForRoom() async
}

extension ObserverSink {
    /// Returns at once: a sink has room unless it says otherwise.
    package func waitForRoom() async {}
}
