import TidemarkModel
import TidemarkStore

/// A part that is attached to a cache, such as the engine for GraphQL documents: it has observers of its own, which are
/// notified in the step that changed what they observe.
///
/// A wing belongs to the cache's actor. The cache makes every call there, and ``SyncCache/withWing(_:_:)`` lends the
/// wing to others there, so a wing needs no lock. Between ``note(_:)`` and ``distribute(in:)`` nothing else happens.
package protocol CacheWing: AnyObject {
    /// The number of the wing's observers, which count against `observerCountMax`.
    ///
    /// While it is not 0, events are applied one at a time, because a wing reads the state as it is after each one.
    var observerCount: Int { get }
    /// Collects a change for the next ``distribute(in:)``. Changes are noted in their order, and only while somebody
    /// observes something.
    func note(_ change: ChangeRecord)
    /// Notifies the wing's observers of the changes collected since the last call.
    func distribute(in cache: isolated SyncCache)
    /// Notifies the observers of a sink that fell behind, in the order in which they did.
    ///
    /// - Parameter isForced: True if the sink must take everything, because its owner is about to write something that
    ///   has to come later.
    func catchUp(_ sink: any ObserverSink, isForced: Bool, in cache: isolated SyncCache)
    /// Returns the records to write with a flush, in the step that takes it. They describe the state that the flush
    /// describes.
    ///
    /// - Parameter isWhole: True if the journal was created anew, so that it has no record of the wing.
    func records(forFlush isWhole: Bool, in cache: isolated SyncCache) -> [RecordChange]
    /// True if the wing has records to write though nothing else changed.
    var hasUnwrittenRecords: Bool { get }
    /// Receives the news that the records of the last call of ``records(forFlush:in:)`` are on the disk. Between the
    /// two calls there is no other call of that method, unless the journal was created anew.
    func committed(in cache: isolated SyncCache)
    /// True if the wing keeps derived records true, see ``RecordChange/isDerived(_:)``. Without such a wing the first
    /// flush removes them.
    var keepsDerivedRecords: Bool { get }
    /// Ends one observer.
    ///
    /// - Returns: True if the wing had an observer of this number.
    func cancel(_ subscription: SubscriptionID, in cache: isolated SyncCache) -> Bool
    /// Ends all observers of a sink.
    func detach(_ sink: any ObserverSink, in cache: isolated SyncCache)
    /// Fails every fetch, because the cache is closing or no upstream can respond any more. Responses that have arrived
    /// are stored first.
    func failFetches(_ reason: String, in cache: isolated SyncCache) async
}

extension CacheWing {
    /// Returns nothing: the wing keeps no records.
    package func records(forFlush isWhole: Bool, in cache: isolated SyncCache) -> [RecordChange] { [] }

    /// False: the wing keeps no records, or they change with entities alone.
    package var hasUnwrittenRecords: Bool { false }

    /// Does nothing: the wing keeps no records.
    package func committed(in cache: isolated SyncCache) {}

    /// False: the wing keeps no records.
    package var keepsDerivedRecords: Bool { false }
}

/// A notification that a wing has written already.
package struct DocumentNotification: Sendable {
    /// The method of the notification.
    package var method: ByteString
    /// The params as a JSON object.
    package var params: [UInt8]

    /// Creates a notification.
    package init(method: ByteString, params: [UInt8]) {
        self.method = method
        self.params = params
    }
}
