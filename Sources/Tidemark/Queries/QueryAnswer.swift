import TidemarkModel

/// What a read of a query gives.
public struct QueryAnswer: Hashable, Sendable {
    public enum Source: String, Sendable {
        case cache
        case upstream
    }

    /// Resources in list order, each as JSON.
    public var entities: [[UInt8]]
    /// In list order.
    public var keys: [EntityKey]
    public var source: Source
    public var isStale: Bool
    /// The sequence that the server's answer stands for; nil when unknown.
    public var asOf: EventSequence?
    /// Some entity shows an optimistic edit.
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
