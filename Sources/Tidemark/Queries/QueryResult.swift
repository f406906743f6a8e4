import TidemarkModel

/// What a server, or a host, answered to a query.
///
/// - Source: Protocol/sessions.md, `query.put`.
public struct QueryResult: Hashable, Sendable {
    public var resourceType: ByteString
    /// In the server's order; each a JSON object.
    public var resources: [[UInt8]]
    /// Other resources of the same answer; normalized, not listed.
    public var included: [Included] = []
    /// Milliseconds; nil: never expires.
    public var timeToLive: Int64?
    /// The sequence that the answer stands for; nil when unknown.
    public var asOf: EventSequence?
    /// A JSON object; see Protocol/queries.md.
    public var membership: [UInt8]?
    /// A JSON array of strings, or a JSON object.
    public var tags: [UInt8]?
    /// Evaluate `membership` over the store; `resources` are normalized only.
    public var isLocal = false

    public struct Included: Hashable, Sendable {
        public var resourceType: ByteString
        public var resources: [[UInt8]]

        public init(resourceType: ByteString, resources: [[UInt8]]) {
            self.resourceType = resourceType
            self.resources = resources
        }
    }

    public init(resourceType: ByteString, resources: [[UInt8]]) {
        self.resourceType = resourceType
        self.resources = resources
    }
}
