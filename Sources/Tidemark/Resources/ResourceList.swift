import TidemarkModel

/// The result of a read of a query.
public struct ResourceList<R: Resource>: Sendable {
    /// The resources in list order.
    public var items: [R]
    /// Who answered: the cache or the upstream.
    public var source: QueryAnswer.Source
    /// True if the list, or an item of it, is known to be older than allowed.
    public var isStale: Bool
    /// True if some item shows an optimistic edit.
    public var isPending: Bool
    /// The sequence up to which the server's response includes changes; nil when unknown.
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

/// A page of a type's entities, in key order.
public struct ResourcePage: Sendable {
    /// The entities of the page.
    public var values: [RegisteredResource]
    /// The key to continue after; nil at the end.
    public var next: EntityKey?
}
