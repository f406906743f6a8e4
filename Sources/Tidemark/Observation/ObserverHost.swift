import TidemarkModel

/// What observations need of a cache. A double stands in for it where a test decides what is said when.
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

    /// There is room again.
    func resume(_ sink: any ObserverSink) async

    /// Cancels all observers of a sink.
    func detach(_ sink: any ObserverSink) async
}

extension SyncCache: ObserverHost {}
