import TidemarkModel

/// The result of a read of a query, as JSON.
public struct QueryAnswer: Hashable, Sendable {
    /// Who answered a read.
    public enum Source: String, Sendable {
        /// The cache, from what it has stored.
        case cache
        /// The upstream.
        case upstream
    }

    /// The resources in list order, each as JSON with the selected fields.
    public var entities: [[UInt8]]
    /// The keys of the resources, in list order.
    public var keys: [EntityKey]
    /// Who answered.
    public var source: Source
    /// True if the list, or an entity of it, is known to be older than allowed.
    public var isStale: Bool
    /// The sequence up to which the server's response includes changes; nil when unknown.
    public var asOf: EventSequence?
    /// True if some entity shows an optimistic edit.
    public var isPending: Bool

    package init(
        entities: [[UInt8]], keys: [EntityKey], source: Source, isStale: Bool, asOf: EventSequence?, isPending: Bool
    ) {
        self.entities = entities
        self.keys = keys
        self.source = source
        self.isStale = isStale
        self.asOf = asOf
        self.isPending = isPending
    }
}
