import TidemarkModel

/// The list of an observed query, and what changed since the last update.
public struct QueryUpdate<R: Resource>: Sendable {
    /// The whole list after the changes.
    public var items: [R]
    /// The steps from the last update's list to this one, to be applied in order. Empty in the first update.
    public var changes: [ListChange<R>]
    /// True if the list, or an item of it, is known to be older than allowed.
    public var isStale: Bool
    /// True if some item shows an optimistic edit.
    public var isPending: Bool
    /// The sequence up to which the server's response includes changes; nil when unknown.
    public var asOf: EventSequence?
    /// How many earlier updates were merged into this one because the reader was slow.
    public var missed: Int
    /// The failure of a fetch that ran beside an answer from the cache; nil in every other update.
    public var fetchError: CacheError?

    package init(
        items: [R], changes: [ListChange<R>], isStale: Bool, isPending: Bool, asOf: EventSequence?, missed: Int,
        fetchError: CacheError? = nil
    ) {
        self.items = items
        self.changes = changes
        self.isStale = isStale
        self.isPending = isPending
        self.asOf = asOf
        self.missed = missed
        self.fetchError = fetchError
    }
}

extension QueryUpdate: Equatable where R: Equatable {}
