import TidemarkModel

/// A request to read a query.
public struct QueryRequest: Hashable, Sendable {
    public var key: QueryKey
    public var policy = FetchPolicy.cacheFirst
    /// Whether a stale or expired list is accepted.
    public var allowsStale = false
    /// The time past its age limit for which a stale list is accepted; nil: `allowsStale` decides.
    public var maxStale: Duration?
    /// The names of the wanted top-level fields, by type; other types come whole. nil: all fields.
    public var select: [ByteString: [ByteString]]?
    /// The read's own age limits, in seconds, by `<type>` or `<type>.<field>`; they override those of the policy.
    public var maxAges: [ByteString: Int] = [:]
    /// Whether an observer is notified, or data is fetched for it, when something becomes too old; see
    /// Protocol/sessions.md, refreshing.
    public var refreshes = false

    public init(_ key: QueryKey, policy: FetchPolicy = .cacheFirst) {
        self.key = key
        self.policy = policy
    }
}

extension EntityRequest {
    var operationAges: OperationAges { OperationAges(maxAges) }
}

extension QueryRequest {
    var operationAges: OperationAges { OperationAges(maxAges) }
}
