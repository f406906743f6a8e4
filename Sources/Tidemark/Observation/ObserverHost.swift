import TidemarkModel

/// The part of a cache that observations use. Tests replace it to control the order of notifications.
package protocol ObserverHost: Sendable {
    /// See ``SyncCache/read(_:observing:reply:later:)``.
    func read(
        _ request: QueryRequest, observing sink: (any ObserverSink)?,
        reply: @escaping @Sendable (Result<QueryReply, CacheError>) -> Void,
        later: @escaping @Sendable (Result<QueryAnswer, CacheError>) -> Void) async

    /// See ``SyncCache/observe(_:sink:reply:)``.
    func observe(
        _ request: EntityRequest, sink: any ObserverSink,
        reply: @escaping @Sendable (Result<(EntityRead, SubscriptionID), CacheError>) -> Void) async

    /// Offers the merged changes to a sink that has room again.
    func resume(_ sink: any ObserverSink) async

    /// Cancels all observers of a sink.
    func detach(_ sink: any ObserverSink) async
}

extension SyncCache: ObserverHost {}
