/// The numbers that lines of a log had and the log did not, with the changes on these lines.
package struct FalseNumbers: Sendable {
    /// The changes of lines with false numbers, in the order of the lines. Bounded by the inputs of a schedule.
    private var lines: [(number: Int64, changes: [(id: String, change: ServerChange)])] = []

    var isEmpty: Bool { lines.isEmpty }

    mutating func heard(_ number: Int64, _ changes: [(id: String, change: ServerChange)]) {
        lines.append((number, changes))
    }

    /// Joins the numbers of another branch of one history, in which a branch keeps all lines of its log or none.
    ///
    /// A line is in the result once: a log that goes back again and again would double them each time.
    mutating func join(_ other: FalseNumbers) {
        if other.lines.count > lines.count { lines = other.lines }
    }

    func contains(_ number: Int64) -> Bool { lines.contains { $0.number == number } }

    /// The changes that may have taken effect in a cache with a cursor: an event ahead of it is held.
    func changes(through cursor: Int64) -> [(number: Int64, id: String, change: ServerChange)] {
        lines.filter { $0.number <= cursor }
            .flatMap { line in line.changes.map { (line.number, $0.id, $0.change) } }
    }
}

extension LibraryTruth {
    /// Whether false numbers were received since the log began.
    package var hasLies: Bool { !lies.isEmpty }

    /// Records that the events with false numbers may have been applied in the log that ends: it may have gone back
    /// because of them.
    mutating func mayHaveLies() {
        for (number, id, change) in lies.changes(through: .max) {
            let known = candidates(id)
            let forgotten = known.union(known.map(\.forgettingPlaces))
            believe(id, known.union(forgotten.flatMap { $0.all(after: change, sequence: number) }))
        }
    }
}
