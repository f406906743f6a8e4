import TidemarkModel

/// The answer to a read of a query.
public struct ResourceList<R: Resource>: Sendable {
    /// The resources in the server's order.
    public var items: [R]
    public var source: QueryAnswer.Source
    public var isStale: Bool
    /// Whether some item shows an optimistic edit.
    public var isPending: Bool
    /// The sequence that the server's answer includes; nil when unknown.
    public var asOf: EventSequence?

    package init(_ answer: QueryAnswer) throws(ResourceDecodingError) {
        let coder = ResourceCoder()
        var items: [R] = []
        items.reserveCapacity(answer.entities.count)
        for entity in answer.entities { items.append(try coder.decode(R.self, entity)) }
        self.items = items
        source = answer.source
        isStale = answer.isStale
        isPending = answer.isPending
        asOf = answer.asOf
    }
}

extension ResourceList: Equatable where R: Equatable {}

/// A part of a type's entities, in key order.
public struct ResourcePage: Sendable {
    public var values: [RegisteredResource]
    /// The key to continue after; nil at the end.
    public var next: EntityKey?
}
