import TidemarkModel

/// The answer to a read of a query.
public struct QueryAnswer: Hashable, Sendable {
    public enum Source: String, Sendable {
        case cache
        case upstream
    }

    /// The resources in list order, each as JSON.
    public var entities: [[UInt8]]
    /// The keys of the resources, in list order.
    public var keys: [EntityKey]
    public var source: Source
    public var isStale: Bool
    /// The sequence that the server's answer includes; nil when unknown.
    public var asOf: EventSequence?
    /// Whether some entity shows an optimistic edit.
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
