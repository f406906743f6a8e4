import TidemarkModel
import TidemarkStore

/// The keeper of watched documents, beside the registry of observers of lists and entities.
///
/// A host lives inside the cache's actor: every call comes from there.
package protocol GraphHost: AnyObject {
    /// The number of watchers.
    var watcherCount: Int { get }
    /// Whether the step under way stores an answer that was fetched for watchers alone.
    var isRefetching: Bool { get set }
    /// Notes that an observed entity changed.
    func note(_ change: EntityChange)
    /// Notes that a query which stands for a root field changed.
    func note(_ change: QueryChange)
    /// Notes that an observed entity is still not there, and may be missing for another reason now.
    func noteAbsent(_ handle: ListHandle)
    /// Notes that the observers of an entity observe another one from now on.
    func rename(from old: ListHandle, to new: ListHandle)
    /// Notifies the watchers of everything that was noted since the last call.
    func distribute(in cache: isolated SyncCache)
    /// Notifies the watchers of a sink that fell behind.
    ///
    /// - Parameter isForced: Whether the sink takes everything, because something else is about to be written.
    func catchUp(_ sink: any ObserverSink, isForced: Bool, in cache: isolated SyncCache)
    /// Ends one watcher.
    ///
    /// - Returns: Whether there was one.
    func cancel(_ subscription: SubscriptionID, in cache: isolated SyncCache) -> Bool
    /// Ends all watchers of a sink.
    func detach(_ sink: any ObserverSink, in cache: isolated SyncCache)
    /// Fails every fetch: nobody can answer any more.
    func failFetches(_ reason: String, in cache: isolated SyncCache) async
}

/// A notification that a graph host has written already.
package struct DocumentNotification: Sendable {
    package var method: ByteString
    /// The params as a JSON object.
    package var params: [UInt8]

    package init(method: ByteString, params: [UInt8]) {
        self.method = method
        self.params = params
    }
}
