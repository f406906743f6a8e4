import TidemarkModel
import TidemarkStore

/// The part of a library's record that is stored as counters: positions in its log that most libraries do not have.
struct LibraryPlaces: Equatable {
    var answeredThrough: EventSequence?
    var forgottenThrough: EventSequence?
    var isStaleByLossAlone = false
    var isUnknowable = false
    var staleThrough: EventSequence?
    var isInState = false
    var isSourceStale = false

    init() {}

    init(_ record: LibraryRecord) {
        answeredThrough = record.answeredThrough
        forgottenThrough = record.forgottenThrough
        isStaleByLossAlone = record.isStaleByLossAlone
        isUnknowable = record.isUnknowable
        staleThrough = record.staleThrough
        isInState = record.isInState
        isSourceStale = record.isSourceStale
    }

    /// Writes the counters that differ from the stored ones.
    func write(over stored: LibraryPlaces, of library: LibraryIndex, _ counters: CounterTable) throws {
        if answeredThrough != stored.answeredThrough {
            try counters.write(CounterTable.answeredThrough(library), answeredThrough?.rawValue ?? -1)
        }
        if forgottenThrough != stored.forgottenThrough {
            try counters.write(CounterTable.forgottenThrough(library), forgottenThrough?.rawValue ?? -1)
        }
        if isStaleByLossAlone != stored.isStaleByLossAlone {
            try counters.write(CounterTable.staleByLoss(library), isStaleByLossAlone ? 1 : 0)
        }
        if isUnknowable != stored.isUnknowable {
            try counters.write(CounterTable.unknowable(library), isUnknowable ? 1 : 0)
        }
        if staleThrough != stored.staleThrough {
            try counters.write(CounterTable.staleThrough(library), staleThrough?.rawValue ?? -1)
        }
        if isInState != stored.isInState { try counters.write(CounterTable.inState(library), isInState ? 1 : 0) }
        if isSourceStale != stored.isSourceStale {
            try counters.write(CounterTable.sourceStale(library), isSourceStale ? 1 : 0)
        }
    }
}
