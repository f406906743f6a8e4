/// The sources of a read, and their order.
///
/// - Source: Protocol/queries.md, fetch policies.
public enum FetchPolicy: String, Sendable, CaseIterable {
    /// The cache when it has a fresh answer, otherwise the upstream: the default.
    case cacheFirst
    /// The upstream; its answer is stored.
    case networkOnly
    /// The upstream; its answer is not stored.
    case networkOnlyNoStore
    /// The cache; no upstream is asked.
    case cacheOnly
    /// The cache at once, and the upstream's answer when it comes.
    case cacheAndNetwork
    /// The upstream, and the cache when the upstream fails.
    case networkFirst
    /// The cache, however stale; a stale answer is fetched again in the background.
    case staleWhileRevalidate
}
