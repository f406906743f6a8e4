/// The position of an entity: its block, and its position in the block.
///
/// - Source: docs/decisions/0020-past-memory.md.
struct BlockPlace: Hashable {
    /// The bits of a position in a block, which has up to 127 entities.
    static let positionBitCount = 7
    static let positionMax = 1 << positionBitCount - 1
    /// The highest ordinal: 33 million blocks, 1.5 billion entities at the usual 45 a block.
    static let ordinalMax = 1 << (32 - positionBitCount) - 1

    /// The highest number of a block, for which a stored place has 41 bits.
    static let numberMax: Int64 = 1 << (48 - Int64(positionBitCount)) - 1

    /// The place in 32 bits. Never 0, which marks an empty slot.
    let bits: UInt32

    /// Creates a place.
    ///
    /// - Parameters:
    ///   - ordinal: 1 … ``ordinalMax``. Ordinals of deleted blocks are reused.
    ///   - position: 0 … ``positionMax``.
    init(ordinal: Int, position: Int) {
        // No input reaches it: the writer assigns ordinals and reports a full file before, and closes a block at its
        // last position.
        precondition((1...BlockPlace.ordinalMax).contains(ordinal), "there is no block \(ordinal)")
        precondition((0...BlockPlace.positionMax).contains(position), "a block has no position \(position)")
        bits = UInt32(ordinal << BlockPlace.positionBitCount | position)
    }

    /// Creates a place from its bits; nil for bits that no place has.
    init?(bits: UInt32) {
        guard bits >> BlockPlace.positionBitCount > 0 else { return nil }
        self.bits = bits
    }

    var ordinal: Int { Int(bits >> BlockPlace.positionBitCount) }
    var position: Int { Int(bits) & BlockPlace.positionMax }
}
