/// The entities of a row, one number for each slot of a view: what tells rows apart.
struct RowTuple: Hashable, Sendable {
    // Eight numbers of 32 bits, two to a word, so that a row takes no memory of its own.
    private var words: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)

    /// - Parameters:
    ///   - slots: The entities by slot; those from ``ViewLimits/sourceCountCeiling`` on are ignored.
    ///   - kept: The slots to keep; the others are as without an entity.
    init(_ slots: [EntityNumber], keeping kept: [Int]) {
        for slot in kept where slot < ViewLimits.sourceCountCeiling { set(slot, slots[slot]) }
    }

    /// - Parameter slots: The entities by slot; those from ``ViewLimits/sourceCountCeiling`` on are ignored.
    init(_ slots: [EntityNumber]) {
        for slot in 0..<min(slots.count, ViewLimits.sourceCountCeiling) { set(slot, slots[slot]) }
    }

    private mutating func set(_ slot: Int, _ number: EntityNumber) {
        let word = UInt64(number) << UInt64(slot % 2 * 32)
        switch slot / 2 {
        case 0: words.0 |= word
        case 1: words.1 |= word
        case 2: words.2 |= word
        default: words.3 |= word
        }
    }

    /// The entity at a slot; ``EntityTable/none`` without one.
    subscript(slot: Int) -> EntityNumber {
        let word =
            switch slot / 2 {
            case 0: words.0
            case 1: words.1
            case 2: words.2
            default: words.3
            }
        return EntityNumber(truncatingIfNeeded: slot % 2 == 0 ? word : word >> 32)
    }

    static func == (left: RowTuple, right: RowTuple) -> Bool { left.words == right.words }

    func hash(into hasher: inout Hasher) {
        hasher.combine(words.0)
        hasher.combine(words.1)
        hasher.combine(words.2)
        hasher.combine(words.3)
    }
}
