import TidemarkModel
import TidemarkStore

/// Keeps watched documents, as the observer registry keeps observers of lists and entities.
///
/// A host belongs to the cache's actor, and every call runs there.
package protocol GraphHost: AnyObject {
    /// The number of watchers.
    var watcherCount: Int { get }
    /// True while storing a response that only watchers requested.
    var isRefetching: Bool { get set }
    /// Records a change of an observed entity, for the next ``distribute(in:)``.
    func note(_ change: EntityChange)
    /// Records a change of a query whose list is the value of a root field, for the next ``distribute(in:)``.
    func note(_ change: QueryChange)
    /// Records that an observed entity is still missing, perhaps for another reason than before.
    func noteAbsent(_ handle: ListHandle)
    /// Moves the watchers of one entity to another, whose id replaced the first one's.
    func rename(from old: ListHandle, to new: ListHandle)
    /// Notifies watchers of the changes collected since the last call.
    func distribute(in cache: isolated SyncCache)
    /// Notifies the watchers of a sink that fell behind.
    ///
    /// - Parameter isForced: Whether the sink must take everything, because its owner is about to write something that
    ///   has to come later.
    func catchUp(_ sink: any ObserverSink, isForced: Bool, in cache: isolated SyncCache)
    /// Ends one watcher.
    ///
    /// - Returns: True if there was such a watcher.
    func cancel(_ subscription: SubscriptionID, in cache: isolated SyncCache) -> Bool
    /// Ends all watchers of a sink.
    func detach(_ sink: any ObserverSink, in cache: isolated SyncCache)
    /// Fails every fetch, because no server can respond any more.
    func failFetches(_ reason: String, in cache: isolated SyncCache) async
}

/// A notification that a graph host has written already.
package struct DocumentNotification: Sendable {
    /// The method of the notification.
    package var method: ByteString
    /// The params as a JSON object.
    package var params: [UInt8]

    package init(method: ByteString, params: [UInt8]) {
        self.method = method
        self.params = params
    }
}
