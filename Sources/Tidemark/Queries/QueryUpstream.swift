import TidemarkModel

/// A source of answers to queries that the cache cannot answer.
public protocol QueryUpstream: Sendable {
    /// Asks the server.
    ///
    /// Called once at a time for all readers of one query. A call whose task is cancelled should return soon; its
    /// answer is ignored.
    ///
    /// - Throws: ``UpstreamError``.
    func fetch(_ query: QueryKey) async throws(UpstreamError) -> QueryResult
}
