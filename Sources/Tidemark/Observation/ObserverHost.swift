import TidemarkModel

/// The part of a cache that observations use. Tests use a double that decides which notification comes when.
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

    /// Notes that a sink has room again.
    func resume(_ sink: any ObserverSink) async

    /// Cancels all observers of a sink.
    func detach(_ sink: any ObserverSink) async
}

extension SyncCache: ObserverHost {}
