import TidemarkModel

/// A resource in a list, as it was when the list changed.
package struct ListedValue: Sendable {
    package var handle: UInt32
    /// Empty when nobody is told now.
    package var payload: [UInt8]
    /// What stood there before; empty when the element is new to the list, or `knownBy` is no lower than any lag.
    package var old: [UInt8]
    /// The newest lag that has noted already what stood there before it; see ``CacheState/beginLag(of:isWhole:)``. Those
    /// that are older have too, or have no need to.
    package var knownBy: Int64

    package init(handle: UInt32, payload: [UInt8], old: [UInt8], knownBy: Int64) {
        self.handle = handle
        self.payload = payload
        self.old = old
        self.knownBy = knownBy
    }
}

/// One step of an observed list, with what undoes it.
package enum ListStep: Sendable {
    case add(ListedValue, at: Int)
    /// With what stood there, as `old`.
    case remove(ListedValue, at: Int)
    case replace(ListedValue, at: Int)
    case move(UInt32, from: Int, to: Int)
}

extension ListStep {
    /// Whether elements stand in other places, or are others, after it.
    package var isStructural: Bool {
        switch self {
        case .add, .remove, .move: true
        case .replace: false
        }
    }

    /// See ``ListedValue/knownBy``.
    var knownBy: Int64 {
        switch self {
        case .replace(let value, _), .remove(let value, _): value.knownBy
        case .add, .move: .max
        }
    }
}

/// What one event, batch, transaction or answer did to one observed query.
package struct QueryChange: Sendable {
    package var query: UInt32
    /// Empty when only `isStale` changed.
    package var steps: [ListStep]
    /// Whether elements stand in other places, or are others, after it.
    package var isStructural: Bool
    /// Lags up to this one have noted what stood before each step, or have no need to.
    package var knownBy: Int64
    package var isStale: Bool
    /// Layers say something of what is shown.
    package var isPending: Bool
    /// An element that it shows has to be loaded first: `payload` is empty where memory does not have it, and nobody is told before it does.
    package var isHeldBack: Bool
    package var asOf: EventSequence?
    /// Index in the log of the query's change before this one; nil when that was told already.
    package var previous: Int?

    package init(
        query: UInt32, steps: [ListStep], isStale: Bool, isPending: Bool, isHeldBack: Bool = false,
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

/// What one event, batch, transaction or answer did to one observed entity.
package struct EntityChange: Sendable {
    package var handle: UInt32
    /// nil when it is gone.
    package var payload: [UInt8]?
    /// nil when it was not there.
    package var old: [UInt8]?
    /// false: only some fields are known, and others are evicted.
    package var isWhole: Bool
    /// The same of `old`.
    package var wasWhole: Bool
}

/// A change that observers are to be told of.
package enum ChangeRecord: Sendable {
    case query(QueryChange)
    case entity(EntityChange)
    /// Who observed the first observes the second from here on.
    case renamed(from: UInt32, to: UInt32, EntityKey)
    case library(LibraryStatus)
}
