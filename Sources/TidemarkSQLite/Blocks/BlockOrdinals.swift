/// The ordinals of blocks by their numbers, while a file is being opened.
///
/// A table from the first number on, as long as on average at least a quarter of its entries is used. Sparser numbers,
/// as a forged file may have, are in a dictionary. 4 to 16 bytes a block.
struct BlockOrdinals {
    private var first: Int64 = 0
    /// The ordinals from `first` on; 0 if there is no such block.
    private var table: [UInt32] = []
    private var others: [Int64: Int] = [:]
    private var count: Int64 = 0

    /// Adds a block.
    ///
    /// - Parameter number: A number above all earlier ones.
    mutating func append(_ ordinal: Int, of number: Int64) {
        if table.isEmpty { first = number }
        count += 1
        let place = number - first
        guard place < 4 * count + 65_536 else { return others[number] = ordinal }
        table.append(contentsOf: repeatElement(0, count: Int(place) - table.count))
        table.append(UInt32(truncatingIfNeeded: ordinal))
    }

    /// The ordinal of a block; nil when there is no such block.
    ///
    /// - Complexity: O(1).
    subscript(number: Int64) -> Int? {
        let place = number.subtractingReportingOverflow(first).partialValue
        if table.indices.contains(Int(place)), table[Int(place)] > 0 { return Int(table[Int(place)]) }
        return others.isEmpty ? nil : others[number]
    }
}
