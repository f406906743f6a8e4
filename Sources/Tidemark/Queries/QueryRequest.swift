import TidemarkModel

/// A request to read or observe a query.
public struct QueryRequest: Hashable, Sendable {
    /// The query to read.
    public var key: QueryKey
    /// Where the answer may come from. Default: ``/TidemarkModel/FetchPolicy/cacheFirst``.
    public var policy = FetchPolicy.cacheFirst
    /// Whether a stale or expired list is accepted. Default: false.
    public var allowsStale = false
    /// How long ago the list may have become stale, or passed an age limit, to be still accepted; nil leaves the
    /// decision to ``allowsStale``.
    public var maxStale: Duration?
    /// The names of the wanted top-level fields, by type; other types are returned whole. nil for all fields.
    public var select: [ByteString: [ByteString]]?
    /// The read's own age limits, in seconds, by `<type>` or `<type>.<field>`; they override the policy's.
    public var maxAges: [ByteString: Int] = [:]
    /// Whether to notify an observer, or fetch data for it, as soon as something becomes too old. Default: false.
    ///
    /// - Source: Protocol/sessions.md, refreshing.
    public var refreshes = false

    /// Makes a request without age limits of its own.
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
