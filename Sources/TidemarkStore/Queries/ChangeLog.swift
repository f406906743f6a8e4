import TidemarkModel

/// A resource in a list, as it was when the list changed.
package struct ListedValue: Sendable {
    package var handle: ListHandle
    /// The resource after the change; empty when no observer is notified now.
    package var payload: [UInt8]
    /// The resource before the change; empty when the element is new to the list, or `knownBy` is no lower than any
    /// lag.
    package var old: [UInt8]
    /// The newest lag that already recorded the resource before the change; see ``CacheState/beginLag(of:isWhole:)``.
    /// Older lags recorded it too, or do not need it.
    package var knownBy: Int64

    package init(handle: ListHandle, payload: [UInt8], old: [UInt8], knownBy: Int64) {
        self.handle = handle
        self.payload = payload
        self.old = old
        self.knownBy = knownBy
    }
}

/// One step of an observed list, with the data to undo it.
package enum ListStep: Sendable {
    case add(ListedValue, at: Int)
    /// The removed element's value is its `old`.
    case remove(ListedValue, at: Int)
    case replace(ListedValue, at: Int)
    case move(ListHandle, from: Int, to: Int)
}

extension ListStep {
    /// Whether the step changes the places of elements, or which elements there are.
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

/// The changes of one observed query by one event, batch, transaction or answer.
package struct QueryChange: Sendable {
    package var query: QueryID
    /// The steps; empty when only `isStale` changed.
    package var steps: [ListStep]
    /// Whether the steps change the places of elements, or which elements there are.
    package var isStructural: Bool
    /// The newest lag that recorded the value before each step; older lags recorded it too, or do not need it.
    package var knownBy: Int64
    package var isStale: Bool
    /// Whether layers change something that is shown.
    package var isPending: Bool
    /// Whether a shown element has to be loaded first: its `payload` is empty until then, and no observer is notified
    /// before.
    package var isHeldBack: Bool
    package var asOf: EventSequence?
    /// The index in the log of the query's change before this one; nil when observers were notified of that one
    /// already.
    package var previous: Int?

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

/// The change of one observed entity by one event, batch, transaction or answer.
package struct EntityChange: Sendable {
    package var handle: ListHandle
    /// The resource after the change; nil when it no longer exists.
    package var payload: [UInt8]?
    /// The resource before the change; nil when it did not exist.
    package var old: [UInt8]?
    /// Whether all fields of `payload` are known; false when some are evicted.
    package var isWhole: Bool
    /// Whether all fields of `old` were known.
    package var wasWhole: Bool
}

/// A change to notify observers of.
package enum ChangeRecord: Sendable {
    case query(QueryChange)
    case entity(EntityChange)
    /// An entity that is not there was deleted, removed or covered again: it may be missing for another reason now.
    case absent(ListHandle)
    /// Observers of the first entity observe the second from now on.
    case renamed(from: ListHandle, to: ListHandle, EntityKey)
    case library(LibraryStatus)
}
