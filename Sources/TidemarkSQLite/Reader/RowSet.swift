/// Row numbers that were seen: one bit each for the dense ones, a set for what damage made of others.
struct RowSet {
    private var words: [UInt64] = []
    private var others: Set<Int64> = []

    /// Rows that get a bit: up to 2^32; the bits grow with the highest row seen, by a factor of two.
    private static let denseRowMax: Int64 = 1 << 32

    /// - Returns: False when the row was there.
    mutating func insert(_ row: Int64) -> Bool {
        guard isDense(row) else { return others.insert(row).inserted }
        if others.contains(row) { return false }
        let word = Int(row >> 6)
        if word >= words.count {
            words += Array(repeating: 0, count: max(word + 1 - words.count, words.count))
        }
        let bit: UInt64 = 1 << UInt64(row & 63)
        if words[word] & bit != 0 { return false }
        words[word] |= bit
        return true
    }

    func contains(_ row: Int64) -> Bool {
        if others.contains(row) { return true }
        guard row >= 0, row >> 6 < Int64(words.count) else { return false }
        return words[Int(row >> 6)] & 1 << UInt64(row & 63) != 0
    }

    /// One damaged key with a high row must not cost half a gigabyte: a row far above all others is kept
    /// apart.
    private func isDense(_ row: Int64) -> Bool {
        row >= 0 && row < RowSet.denseRowMax && row >> 6 < Int64(words.count) + 1 << 20
    }
}
