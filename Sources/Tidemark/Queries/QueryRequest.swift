import TidemarkModel

/// What a read of a query asks for.
public struct QueryRequest: Hashable, Sendable {
    public var key: QueryKey
    public var policy = FetchPolicy.cacheFirst
    /// A stale or expired list is good enough.
    public var allowsStale = false
    /// How long past its age a stale list is good enough, in milliseconds; nil: as `allowsStale` says.
    public var maxStale: Int64?
    /// The top-level fields that are wanted, by type; other types come whole. nil: everything.
    public var select: [ByteString: [ByteString]]?
    /// The read's own limits, in seconds, by `<type>` or `<type>.<field>`; they go before those of the policy.
    public var maxAges: [ByteString: Int] = [:]
    /// Of an observer: tell it, or fetch for it, when something becomes too old; see Protocol/sessions.md, refreshing.
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
