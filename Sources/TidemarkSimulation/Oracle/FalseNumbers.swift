/// The sequences that false lines named and the log does not contain, with the changes on these lines.
package struct FalseNumbers: Sendable {
    /// The false lines in order of arrival. Bounded by the inputs of a schedule.
    private var lines: [(number: Int64, changes: [(id: String, change: ServerChange)])] = []

    var isEmpty: Bool { lines.isEmpty }

    mutating func heard(_ number: Int64, _ changes: [(id: String, change: ServerChange)]) {
        lines.append((number, changes))
    }

    /// Combines the lines of two branches of one history, in which a branch keeps all lines of its log or none.
    ///
    /// Each line is kept once; otherwise a log that is restored repeatedly would double them each time.
    mutating func join(_ other: FalseNumbers) {
        if other.lines.count > lines.count { lines = other.lines }
    }

    func contains(_ number: Int64) -> Bool { lines.contains { $0.number == number } }

    /// Returns the changes that may have taken effect in a cache with this cursor; events ahead of it are held.
    func changes(through cursor: Int64) -> [(number: Int64, id: String, change: ServerChange)] {
        lines.filter { $0.number <= cursor }
            .flatMap { line in line.changes.map { (line.number, $0.id, $0.change) } }
    }
}

extension LibraryTruth {
    /// True if false sequences were received since the log began.
    package var hasLies: Bool { !lies.isEmpty }

    /// Records that events with false sequences may have been applied in the log that ends, because they may have made
    /// it look as if it had gone back.
    mutating func mayHaveLies() {
        for (number, id, change) in lies.changes(through: .max) {
            let known = candidates(id)
            let forgotten = known.union(known.map(\.forgettingPlaces))
            believe(id, known.union(forgotten.flatMap { $0.all(after: change, sequence: number) }))
        }
    }
}
