/// A set of row numbers: one bit for each dense number, and a hash set for isolated ones, which only damage produces.
struct RowSet {
    private var words: [UInt64] = []
    private var others: Set<Int64> = []

    /// The row number below which a row may get a bit: 2^32. The bits grow with the highest row, by a factor of two.
    private static let denseRowMax: Int64 = 1 << 32

    /// Inserts a row.
    ///
    /// - Returns: False if the set already contains the row.
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

    /// Returns true if the row gets a bit. A row far above all others does not, because one damaged key with a high row
    /// must not cost half a gigabyte.
    private func isDense(_ row: Int64) -> Bool {
        row >= 0 && row < RowSet.denseRowMax && row >> 6 < Int64(words.count) + 1 << 20
    }
}
