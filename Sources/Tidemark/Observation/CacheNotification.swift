import TidemarkModel
import TidemarkStore

/// Names one observer of one cache; never used twice.
public struct SubscriptionID: Hashable, Sendable {
    public let rawValue: Int64

    package init(_ rawValue: Int64) {
        self.rawValue = rawValue
    }
}

/// What an observer is told.
package enum CacheNotification: Sendable {
    case query(QueryNotification)
    case entity(EntityNotification)
    case library(LibraryStatus)
}

/// How a list changed since its observer was last told.
package struct QueryNotification: Sendable {
    package var subscription: SubscriptionID
    /// To be applied in order to what the observer saw last; elements are resources as JSON, as selected.
    package var operations: [ListOperation<[UInt8]>]
    package var isStale: Bool
    package var asOf: EventSequence?
    package var isPending: Bool
    /// Notifications that were merged into this one because the observer was slow.
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

/// How an entity changed since its observer was last told.
package struct EntityNotification: Sendable {
    package var subscription: SubscriptionID
    /// The resource as JSON, as selected; nil when it is gone.
    package var entity: [UInt8]?
    /// Names of top-level fields that differ, sorted by bytes.
    package var changedFields: [ByteString]
    /// Some field is too old; nil unless the observer asked to be told.
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

/// Where an observer's notifications go. Called on the cache's executor: it must not wait.
package protocol ObserverSink: AnyObject, Sendable {
    /// Takes a notification if there is room.
    ///
    /// - Returns: false when there is none. The cache then keeps the observer's changes together, in bounded memory,
    ///   until ``SyncCache/resume(_:)`` or ``SyncCache/settle(_:)`` is called for the sink.
    func offer(_ notification: CacheNotification) -> Bool

    /// Takes a notification whether there is room or not: something that must come after it is about to be written.
    func deliver(_ notification: CacheNotification)
}
