import TidemarkModel

/// What an observed query shows, and what changed since it was last told.
public struct QueryUpdate<R: Resource>: Sendable {
    /// The whole list as it is now.
    public var items: [R]
    /// The steps from the last update's list to this one, to be applied in order. Empty in the first update.
    public var changes: [ListChange<R>]
    public var isStale: Bool
    /// Some item shows an optimistic edit.
    public var isPending: Bool
    /// The sequence that the server's answer stands for; nil when unknown.
    public var asOf: EventSequence?
    /// Updates that were merged into this one because the reader was slow.
    public var missed: Int
    /// Why the fetch beside an answer from the cache failed; nil in every other update.
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
