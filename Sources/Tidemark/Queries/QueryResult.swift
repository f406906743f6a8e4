import TidemarkModel

/// The answer of a server or a host to a query.
///
/// - Source: Protocol/sessions.md, `query.put`.
public struct QueryResult: Hashable, Sendable {
    public var resourceType: ByteString
    /// The resources in the server's order; each a JSON object.
    public var resources: [[UInt8]]
    /// Other resources of the same answer; stored, but not listed.
    public var included: [Included] = []
    /// The time until the list expires; nil: it never expires.
    public var timeToLive: Duration?
    /// The sequence that the answer includes; nil when unknown.
    public var asOf: EventSequence?
    /// A JSON object; see Protocol/queries.md.
    public var membership: [UInt8]?
    /// A JSON array of strings, or a JSON object.
    public var tags: [UInt8]?
    /// Whether the list is computed by evaluating `membership` over the store; `resources` are then only stored.
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
