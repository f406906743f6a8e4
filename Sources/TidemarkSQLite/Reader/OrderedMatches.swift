/// A selected entity with its position in the order.
struct EntityMatch {
    /// The sort key, compared as bytes and unique within a library.
    var sortKey: [UInt8]
    var entity: EntitySnapshot
}

/// Keeps the first `countMax` matches in the order, whatever the order in which they are inserted.
///
/// Bound: twice `countMax` matches, and at least 64.
struct OrderedMatches {
    private let countMax: Int
    private var matches: [EntityMatch] = []
    /// The last sort key that can still be among the first; nil before the first cut.
    private var last: [UInt8]?

    init(countMax: Int) {
        self.countMax = countMax
    }

    /// Inserts a match, unless it is beyond the first `countMax`.
    ///
    /// - Complexity: O(log n) on average.
    mutating func insert(_ match: EntityMatch) {
        if let last, last.lexicographicallyPrecedes(match.sortKey) { return }
        matches.append(match)
        guard countMax <= Int.max / 2, matches.count >= max(2 * countMax, 64) else { return }
        cut()
        last = matches.last?.sortKey
    }

    /// Returns the first matches, in order.
    mutating func taken() -> [EntityMatch] {
        cut()
        return matches
    }

    private mutating func cut() {
        matches.sort { $0.sortKey.lexicographicallyPrecedes($1.sortKey) }
        if matches.count > countMax { matches.removeLast(matches.count - countMax) }
    }
}
