import TidemarkModel

/// A server's or a host's response to a query.
///
/// ```swift
/// struct PhotoServer: QueryUpstream {
///     func fetch(_ query: QueryKey) async throws(UpstreamError) -> QueryResult {
///         let photo = Array(#"{"id":"1","name":"Sea","album":"7"}"#.utf8)
///         var result = QueryResult(resourceType: "photo", resources: [photo])
///         result.membership = Array(#"{"resource_type":"photo","where":{"path":"/album","eq":"7"}}"#.utf8)
///         result.timeToLive = .seconds(60)
///         return result
///     }
/// }
/// ```
///
/// - Source: Protocol/sessions.md, `query.put`.
public struct QueryResult: Hashable, Sendable {
    /// The type of ``resources``.
    public var resourceType: ByteString
    /// The listed resources in the server's order, each a JSON object.
    public var resources: [[UInt8]]
    /// Other resources of the same response, which are stored but not listed. Default: none.
    public var included: [Included] = []
    /// How long until the list expires; nil for never.
    public var timeToLive: Duration?
    /// The sequence up to which the response includes changes; nil when unknown.
    public var asOf: EventSequence?
    /// The rule by which events change the list, as a JSON object; nil for a list that only loses deleted entities.
    ///
    /// - Source: Protocol/queries.md, membership.
    public var membership: [UInt8]?
    /// The tags by which the query can be invalidated: a JSON array of strings, or a JSON object. nil for none.
    public var tags: [UInt8]?
    /// Whether to compute the list by evaluating ``membership`` over the store. ``resources`` are then only stored.
    /// Default: false.
    public var isLocal = false

    /// Resources of one type that a response has beside the listed ones.
    public struct Included: Hashable, Sendable {
        /// The type of the resources.
        public var resourceType: ByteString
        /// The resources, each a JSON object.
        public var resources: [[UInt8]]

        /// Makes a group of resources.
        public init(resourceType: ByteString, resources: [[UInt8]]) {
            self.resourceType = resourceType
            self.resources = resources
        }
    }

    /// Makes a response that lists resources.
    public init(resourceType: ByteString, resources: [[UInt8]]) {
        self.resourceType = resourceType
        self.resources = resources
    }
}
