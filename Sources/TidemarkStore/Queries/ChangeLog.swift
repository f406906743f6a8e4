import TidemarkModel

/// A resource in a list, as it was when the list changed.
package struct ListedValue: Sendable {
    package var handle: UInt32
    /// Empty when nobody is told now.
    package var payload: [UInt8]
    /// What stood there before; empty when the element is new to the list.
    package var old: [UInt8]
}

/// One step of an observed list, with what undoes it.
package enum ListStep: Sendable {
    case add(ListedValue, at: Int)
    /// With what stood there, as `old`.
    case remove(ListedValue, at: Int)
    case replace(ListedValue, at: Int)
    case move(UInt32, from: Int, to: Int)
}

/// What one event, batch, transaction or answer did to one observed query.
package struct QueryChange: Sendable {
    package var query: UInt32
    /// Empty when only `isStale` changed.
    package var steps: [ListStep]
    package var isStale: Bool
    /// Layers say something of what is shown.
    package var isPending: Bool
    package var asOf: EventSequence?
    /// Index in the log of the query's change before this one; nil when that was told already.
    package var previous: Int?
}

/// What one event, batch, transaction or answer did to one observed entity.
package struct EntityChange: Sendable {
    package var handle: UInt32
    /// nil when it is gone.
    package var payload: [UInt8]?
    /// nil when it was not there.
    package var old: [UInt8]?
}

/// A change that observers are to be told of.
package enum ChangeRecord: Sendable {
    case query(QueryChange)
    case entity(EntityChange)
    /// Who observed the first observes the second from here on.
    case renamed(from: UInt32, to: UInt32, EntityKey)
    case library(LibraryStatus)
}
