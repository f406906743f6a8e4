/// Draws ranks 1 … `rankCount` with chances proportional to 1 / rank, exactly and without a table.
///
/// Each octave `2^k ..< 2^(k+1)` is equally likely to be proposed, and a rank in it is kept with chance `2^k / rank`,
/// so that kept ranks follow 1 / rank. Only integers are used: a cumulative table of `Double` would depend on the
/// machine and take 8 bytes a rank.
struct ZipfRanks {
    private let rankCount: Int
    private let octaveCount: Int

    /// - Parameter rankCount: At least 1.
    init(rankCount: Int) {
        precondition(rankCount > 0, "\(rankCount) ranks cannot be drawn from")
        self.rankCount = rankCount
        octaveCount = Int.bitWidth - rankCount.leadingZeroBitCount
    }

    /// Draws a rank.
    ///
    /// - Complexity: O(1) expected, fewer than three proposals.
    func draw(from random: inout SeededGenerator) -> Int {
        while true {
            let lowest = 1 << random.below(octaveCount)
            let rank = lowest + random.below(lowest)
            if rank <= rankCount, random.below(rank) < lowest { return rank }
        }
    }
}
