import TidemarkModel

/// A server that responds to queries that the cache cannot answer.
///
/// ```swift
/// struct PhotoServer: QueryUpstream {
///     func fetch(_ query: QueryKey) async throws(UpstreamError) -> QueryResult {
///         guard query.method == "photos.list" else { throw UpstreamError("unknown method", isRefusal: true) }
///         return QueryResult(resourceType: "photo", resources: [Array(#"{"id":"1"}"#.utf8)])
///     }
/// }
/// ```
///
/// Pass it as `queryUpstream` when a cache is opened.
public protocol QueryUpstream: Sendable {
    /// Requests the response to a query.
    ///
    /// All readers of one query share one call. ``CacheConfiguration/fetchTimeout`` bounds it. A call whose task is
    /// cancelled should return soon; its result is ignored.
    ///
    /// - Throws: ``UpstreamError`` when there is no response.
    func fetch(_ query: QueryKey) async throws(UpstreamError) -> QueryResult
}
