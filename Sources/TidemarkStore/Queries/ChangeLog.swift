import TidemarkModel

/// A resource in a list, as it was when the list changed.
package struct ListedValue: Sendable {
    /// The entity's handle.
    package var handle: ListHandle
    /// The resource after the change; empty if no observer is notified now.
    package var payload: [UInt8]
    /// The resource before the change. Empty if the element is new to the list, or if every lag already has the value
    /// because `knownBy` is the newest one.
    package var old: [UInt8]
    /// The newest lag that already recorded the resource before the change; see ``CacheState/beginLag(of:isWhole:)``.
    /// Older lags recorded it too, or do not need it.
    package var knownBy: Int64

    /// Creates a value from its parts.
    package init(handle: ListHandle, payload: [UInt8], old: [UInt8], knownBy: Int64) {
        self.handle = handle
        self.payload = payload
        self.old = old
        self.knownBy = knownBy
    }
}

/// One step of an observed list, with what is needed to undo it.
package enum ListStep: Sendable {
    /// An element was inserted at an index.
    case add(ListedValue, at: Int)
    /// An element was removed from an index; its resource is the value's `old`.
    case remove(ListedValue, at: Int)
    /// The resource of the element at an index changed.
    case replace(ListedValue, at: Int)
    /// An element moved from one index to another.
    case move(ListHandle, from: Int, to: Int)
}

extension ListStep {
    /// True if the step changes which elements there are, or their places.
    package var isStructural: Bool {
        switch self {
        case .add, .remove, .move: true
        case .replace: false
        }
    }

    /// The newest lag that recorded the value before the step; see ``ListedValue/knownBy``.
    var knownBy: Int64 {
        switch self {
        case .replace(let value, _), .remove(let value, _): value.knownBy
        case .add, .move: .max
        }
    }
}

/// How one event, batch, transaction or response changed one observed query.
package struct QueryChange: Sendable {
    /// The query that changed.
    package var query: QueryID
    /// The steps in order; empty if only `isStale` changed.
    package var steps: [ListStep]
    /// True if some step changes which elements there are, or their places.
    package var isStructural: Bool
    /// The newest lag that recorded the values before all steps. Older lags recorded them too, or do not need them.
    package var knownBy: Int64
    /// True if the list is stale after the change.
    package var isStale: Bool
    /// True if layers change something that is shown.
    package var isPending: Bool
    /// True if a shown element must be loaded first. Its `payload` is empty until then, and no observer is notified
    /// before.
    package var isHeldBack: Bool
    /// The position in the log of the query's answer; nil if unknown.
    package var asOf: EventSequence?
    /// The index in the log of the query's change before this one; nil if observers were already notified of that one.
    package var previous: Int?

    /// Creates a change; computes ``isStructural`` and ``knownBy`` from the steps.
    package init(
        query: QueryID, steps: [ListStep], isStale: Bool, isPending: Bool, isHeldBack: Bool = false,
        asOf: EventSequence?, previous: Int?
    ) {
        self.query = query
        self.steps = steps
        isStructural = steps.contains(where: \.isStructural)
        knownBy = steps.reduce(.max) { min($0, $1.knownBy) }
        self.isStale = isStale
        self.isPending = isPending
        self.isHeldBack = isHeldBack
        self.asOf = asOf
        self.previous = previous
    }
}

/// How one event, batch, transaction or response changed one observed entity.
package struct EntityChange: Sendable {
    /// The entity's handle.
    package var handle: ListHandle
    /// The resource after the change; nil if it does not exist.
    package var payload: [UInt8]?
    /// The resource before the change; nil if it did not exist.
    package var old: [UInt8]?
    /// True if all fields of `payload` are known; false if some are evicted.
    package var isWhole: Bool
    /// True if all fields of `old` were known.
    package var wasWhole: Bool
}

/// A change that observers are notified of.
package enum ChangeRecord: Sendable {
    /// An observed list changed.
    case query(QueryChange)
    /// An observed entity changed.
    case entity(EntityChange)
    /// An absent entity was deleted, removed or covered again, so the reason for its absence may differ.
    case absent(ListHandle)
    /// An entity was renamed: observers of the first handle observe the second from now on. The key is the new one.
    case renamed(from: ListHandle, to: ListHandle, EntityKey)
    /// The status of a library changed.
    case library(LibraryStatus)
    /// An entity of a followed type changed.
    case followed(FollowedChange)
    /// Entities of a followed type are gone whose last values nobody knows, so everything that was computed from the
    /// type has to be computed anew.
    case lost(type: ByteString, library: ByteString)
    /// An entity of a followed type was evicted from both tiers.
    case evicted(type: ByteString, library: ByteString)
    /// The event of this unit named the edit that it settles. Logged while types are followed.
    case settled(ByteString, library: ByteString)
}
