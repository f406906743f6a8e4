/// A set of entity numbers, one bit for each number.
struct NumberSet: Sendable {
    private var words: [UInt64] = []
    private(set) var count = 0

    func contains(_ number: EntityNumber) -> Bool {
        let word = Int(number) >> 6
        return word < words.count && words[word] >> UInt64(number & 63) & 1 == 1
    }

    /// Inserts a number.
    ///
    /// - Returns: False if it was already there.
    @discardableResult
    mutating func insert(_ number: EntityNumber) -> Bool {
        guard !contains(number) else { return false }
        let word = Int(number) >> 6
        if word >= words.count { words += [UInt64](repeating: 0, count: max(word + 1 - words.count, words.count / 2)) }
        words[word] |= 1 << UInt64(number & 63)
        count += 1
        return true
    }

    /// Removes a number.
    ///
    /// - Returns: False if it was not there.
    @discardableResult
    mutating func remove(_ number: EntityNumber) -> Bool {
        guard contains(number) else { return false }
        words[Int(number) >> 6] &= ~(1 << UInt64(number & 63))
        count -= 1
        return true
    }

    /// Calls `body` for each number, ascending.
    func forEach(_ body: (EntityNumber) -> Void) {
        for (index, word) in words.enumerated() {
            var rest = word
            while rest != 0 {
                body(EntityNumber(index * 64 + rest.trailingZeroBitCount))
                rest &= rest - 1
            }
        }
    }

    /// The bytes that the set takes.
    var byteCount: Int { words.capacity * 8 }
}
