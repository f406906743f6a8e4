import TidemarkModel
import TidemarkStore

/// The name of one observer of one cache; never used twice.
public struct SubscriptionID: Hashable, Sendable {
    public let rawValue: Int64

    package init(_ rawValue: Int64) {
        self.rawValue = rawValue
    }
}

/// A message of the cache to an observer or a session.
package enum CacheNotification: Sendable {
    case query(QueryNotification)
    case entity(EntityNotification)
    case library(LibraryStatus)
    case document(DocumentNotification)
    case log(LogNotification)
}

/// Events that an observer of the log has not been notified of.
package struct LogNotification: Sendable {
    package var subscription: SubscriptionID
    /// The events in the order in which they were counted.
    package var events: [LoggedEvent]
    /// The number of events before these that the observer wanted and that are not listed, because there were too many.
    package var missed: Int

    package init(subscription: SubscriptionID, events: [LoggedEvent], missed: Int) {
        self.subscription = subscription
        self.events = events
        self.missed = missed
    }
}

/// A change of a list since its observer was last notified.
package struct QueryNotification: Sendable {
    package var subscription: SubscriptionID
    /// The steps from the list that the observer saw last, to be applied in order; elements are resources as JSON, with
    /// the selected fields.
    package var operations: [ListOperation<[UInt8]>]
    package var isStale: Bool
    package var asOf: EventSequence?
    package var isPending: Bool
    /// The number of notifications that were merged into this one because the observer was slow.
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

/// A change of an entity since its observer was last notified.
package struct EntityNotification: Sendable {
    package var subscription: SubscriptionID
    /// The resource as JSON, with the selected fields; nil when there is none any more.
    package var entity: [UInt8]?
    /// The names of the top-level fields that differ, sorted by bytes.
    package var changedFields: [ByteString]
    /// Whether some field is too old; nil unless the observer asked to be refreshed.
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

/// The receiver of an observer's notifications. Called on the cache's executor: it must not wait.
package protocol ObserverSink: AnyObject, Sendable {
    /// Takes a notification if there is room.
    ///
    /// - Returns: false when there is no room. The cache then merges the observer's changes, in bounded memory, until
    ///   ``SyncCache/resume(_:)`` or ``SyncCache/deliverAll(to:)`` is called for the sink.
    func offer(_ notification: CacheNotification) -> Bool

    /// Takes a notification whether there is room or not: the caller is about to write something that must come after
    /// it.
    func deliver(_ notification: CacheNotification)

    /// Returns when a notification that cannot be merged with others has room.
    func waitForRoom() async
}

extension ObserverSink {
    package func waitForRoom() async {}
}
