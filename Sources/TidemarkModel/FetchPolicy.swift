/// Where the answer to a read of a query may come from, and in which order.
///
/// ```swift
/// var request = QueryRequest(try QueryKey(library: "", method: "photos.list", input: Array("{}".utf8)))
/// request.policy = .networkFirst
/// request.maxStale = .seconds(60)
/// ```
///
/// A list that is evaluated over the store is always read from the cache.
///
/// - Source: Protocol/queries.md, fetch policies.
public enum FetchPolicy: String, Sendable, CaseIterable {
    /// The cache if it has a complete and fresh answer, otherwise the upstream. The default.
    case cacheFirst
    /// The upstream; its response is stored.
    case networkOnly
    /// The upstream; its response is not stored. Cannot be observed.
    case networkOnlyNoStore
    /// The cache; no upstream is asked. Without a complete and fresh answer the read fails with `cache_miss`.
    case cacheOnly
    /// The cache at once, and the upstream's response when it arrives.
    case cacheAndNetwork
    /// The upstream, or the cache if the upstream fails.
    case networkFirst
    /// The cache, however stale. A stale answer is fetched again in the background.
    case staleWhileRevalidate
}
