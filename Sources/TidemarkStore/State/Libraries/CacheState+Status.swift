import TidemarkModel

extension CacheState {
    /// Notes that a library's cursor, phase or lost ranges may have changed: settles layers that waited for its cursor,
    /// and logs changes that observers of libraries were not notified of yet.
    mutating func noteStatus(of library: LibraryIndex, at now: Int64) {
        if layers.isAwaiting { settleReached(in: library, at: now) }
        guard hasLibraryObservers else { return }
        let phase = libraries[Int(library)].phase
        let lost = libraries[Int(library)].gate.lost.ranges
        guard phase != libraries[Int(library)].shownPhase || lost != libraries[Int(library)].shownLost else { return }
        libraries[Int(library)].shownPhase = phase
        libraries[Int(library)].shownLost = lost
        queries.log.append(.library(status(of: library)))
    }

    /// Begins to log changes of the libraries' phases; the current phases count as notified.
    package mutating func observeLibraries() {
        hasLibraryObservers = true
        for index in libraries.indices {
            libraries[index].shownPhase = libraries[index].phase
            libraries[index].shownLost = libraries[index].gate.lost.ranges
        }
    }
}
