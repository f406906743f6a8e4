import TidemarkModel

/// Whoever answers queries that the cache cannot.
public protocol QueryUpstream: Sendable {
    /// Asks the server.
    ///
    /// Called once for all readers of one query at a time. A call whose task is cancelled should return soon; its
    /// answer changes nothing.
    ///
    /// - Throws: ``UpstreamError``.
    func fetch(_ query: QueryKey) async throws(UpstreamError) -> QueryResult
}
