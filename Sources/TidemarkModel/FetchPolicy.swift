/// Where a read looks, and in which order.
///
/// - Source: Protocol/queries.md, fetch policies.
public enum FetchPolicy: String, Sendable, CaseIterable {
    /// The cache when it has a fresh answer, else the upstream: the default.
    case cacheFirst
    /// The upstream; its answer is stored.
    case networkOnly
    /// The upstream; its answer is not stored.
    case networkOnlyNoStore
    /// The cache; nothing is ever asked for.
    case cacheOnly
    /// The cache at once, and the upstream's answer when it is there.
    case cacheAndNetwork
    /// The upstream, and the cache when that fails.
    case networkFirst
    /// The cache, however stale; what was stale is fetched beside.
    case staleWhileRevalidate
}
