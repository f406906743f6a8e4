import TidemarkModel

/// The places in a library's log before which an answer is older than something that made lists stale.
///
/// It stands for what ``MeanwhileLog`` does not remember any more, without the lists that it concerned: after a
/// restart, or when too much became stale, an answer from before such a place is stale whatever it lists.
struct StaleThrough {
    /// The highest place of everything that made lists stale; nil when there is none. The journal keeps it.
    private(set) var highest: EventSequence?
    /// The highest place of what is remembered here alone.
    private(set) var forgotten: EventSequence?

    init() {}

    /// - Parameter recovered: The place that the journal had.
    init(recovered: EventSequence?) { (highest, forgotten) = (recovered, recovered) }

    mutating func note(_ place: EventSequence) { highest = highest.map { max($0, place) } ?? place }

    /// Notes that what happened at a place is not remembered elsewhere any more.
    mutating func forget(_ place: EventSequence) { forgotten = forgotten.map { max($0, place) } ?? place }

    /// Tells whether an answer may miss something that is remembered here alone.
    func concernsAnswer(at place: EventSequence) -> Bool { forgotten.map { place < $0 } ?? false }

    /// Notes that the log ended: its places mean nothing in the next one.
    mutating func endLog() { (highest, forgotten) = (nil, nil) }

    /// Notes that the log continues after a place.
    mutating func rewind(to place: EventSequence) {
        highest = highest.map { min($0, place) }
        forgotten = forgotten.map { min($0, place) }
    }
}
