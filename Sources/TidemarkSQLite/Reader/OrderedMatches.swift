/// An entity that was selected, and its place in the order.
struct EntityMatch {
    /// Compared as bytes; one of a kind within a library.
    var sortKey: [UInt8]
    var entity: ReadEntity
}

/// The first so many of some matches, whatever order they come in.
///
/// Bound: twice `countMax` matches.
struct OrderedMatches {
    private let countMax: Int
    private var matches: [EntityMatch] = []
    /// Nothing behind it can be among the first any more; nil while there is room.
    private var last: [UInt8]?

    init(countMax: Int) {
        self.countMax = countMax
    }

    /// - Complexity: O(log n), on the average.
    mutating func insert(_ match: EntityMatch) {
        if let last, last.lexicographicallyPrecedes(match.sortKey) { return }
        matches.append(match)
        guard countMax <= Int.max / 2, matches.count >= max(2 * countMax, 64) else { return }
        cut()
        last = matches.last?.sortKey
    }

    /// The first ones, in order.
    mutating func taken() -> [EntityMatch] {
        cut()
        return matches
    }

    private mutating func cut() {
        matches.sort { $0.sortKey.lexicographicallyPrecedes($1.sortKey) }
        if matches.count > countMax { matches.removeLast(matches.count - countMax) }
    }
}
