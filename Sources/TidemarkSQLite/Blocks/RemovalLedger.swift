/// The removals in blocks that the stored segments may not know yet: replaying the directories needs them.
///
/// A removal counts as live until every stored segment is newer than its block.
struct RemovalLedger {
    private struct Block {
        var number: Int64
        var ordinal: Int
    }

    /// The blocks with removals, ascending by number, from `first` on. At most the blocks that half as many changes as
    /// there are entities fill.
    private var queue: [Block] = []
    private var first = 0
    /// The removals of each of these blocks that was not merged since, by ordinal.
    private var counts: [Int: (number: Int64, count: Int)] = [:]

    /// Notes a block with removals; its number is higher than those before.
    mutating func add(ordinal: Int, number: Int64, count: Int) {
        queue.append(Block(number: number, ordinal: ordinal))
        counts[ordinal] = (number, count)
    }

    /// Notes that a block was merged.
    ///
    /// - Returns: The removals of it that counted as live.
    mutating func merged(ordinal: Int) -> Int { counts.removeValue(forKey: ordinal)?.count ?? 0 }

    /// Notes that every segment on the disk knows all blocks up to a number.
    ///
    /// - Returns: The blocks whose removals are dead now, and how many those are.
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

    /// The removals that count as live, by ordinal.
    var liveCounts: [Int: Int] { counts.mapValues(\.count) }
}
