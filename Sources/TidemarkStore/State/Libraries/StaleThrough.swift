import TidemarkModel

/// The positions in a library's log at which lists became stale. A response from before such a position is stale.
///
/// It replaces what ``MeanwhileLog`` no longer remembers, without the lists that were concerned: after a restart, or
/// when too much became stale, an older response is stale whatever it lists.
struct StaleThrough {
    /// The highest position at which lists became stale; nil if there is none. The journal stores it.
    private(set) var highest: EventSequence?
    /// The highest position that only this type remembers.
    private(set) var forgotten: EventSequence?

    init() {}

    /// Restores the positions.
    ///
    /// - Parameter recovered: The position that the journal stored.
    init(recovered: EventSequence?) { (highest, forgotten) = (recovered, recovered) }

    mutating func note(_ place: EventSequence) { highest = highest.map { max($0, place) } ?? place }

    /// Records that a position is no longer remembered elsewhere.
    mutating func forget(_ place: EventSequence) { forgotten = forgotten.map { max($0, place) } ?? place }

    /// Returns true if a response may miss something that only this type remembers.
    func concernsAnswer(at place: EventSequence) -> Bool { forgotten.map { place < $0 } ?? false }

    /// Forgets the positions, because the log has ended.
    mutating func endLog() { (highest, forgotten) = (nil, nil) }

    /// Lowers the positions, because the log continues after an earlier one.
    mutating func rewind(to place: EventSequence) {
        highest = highest.map { min($0, place) }
        forgotten = forgotten.map { min($0, place) }
    }
}
