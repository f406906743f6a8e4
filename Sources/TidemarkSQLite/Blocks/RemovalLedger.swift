/// The removals in blocks that the stored segments may not include yet, so that replaying the directories needs them.
///
/// A removal counts as live until every stored segment is newer than its block.
struct RemovalLedger {
    /// A block with removals.
    private struct Block {
        var number: Int64
        var ordinal: Int
    }

    /// The blocks with removals, in ascending order of numbers, from index `first` on. Bounded by the blocks that half
    /// as many changes as there are entities fill.
    private var queue: [Block] = []
    private var first = 0
    /// By ordinal, the number of removals in each of these blocks that has not been merged.
    private var counts: [Int: (number: Int64, count: Int)] = [:]

    /// Adds a block with removals. Its number must be above all earlier ones.
    mutating func add(ordinal: Int, number: Int64, count: Int) {
        queue.append(Block(number: number, ordinal: ordinal))
        counts[ordinal] = (number, count)
    }

    /// Removes a block that was merged.
    ///
    /// - Returns: How many of its removals counted as live.
    mutating func merged(ordinal: Int) -> Int { counts.removeValue(forKey: ordinal)?.count ?? 0 }

    /// Records that every stored segment includes all blocks up to a number.
    ///
    /// - Returns: The blocks whose removals are dead from now on, and how many each has.
    mutating func stored(through number: Int64) -> [(ordinal: Int, count: Int)] {
        var dead: [(ordinal: Int, count: Int)] = []
        while first < queue.count, queue[first].number <= number {
            let block = queue[first]
            first += 1
            // Another block may have the ordinal by now.
            guard let (number, count) = counts[block.ordinal], number == block.number else { continue }
            counts[block.ordinal] = nil
            dead.append((block.ordinal, count))
        }
        if first > 1_000, first * 2 > queue.count {
            queue.removeFirst(first)
            first = 0
        }
        return dead
    }

    /// The number of removals that count as live, by ordinal.
    var liveCounts: [Int: Int] { counts.mapValues(\.count) }
}
