import TidemarkStore

/// Predicts how small data becomes, by the blocks of the same type before.
struct BlockSizer {
    /// The ratio of a type without a block: payloads without a dictionary.
    private static let firstRatio = 0.35
    /// The share of the last block in the running ratio.
    private static let weight = 0.1

    /// A ratio for each type, at most 65,536.
    private var ratios: [TypeIndex: Double] = [:]

    /// Whether a block of the type was noted.
    func knows(_ type: TypeIndex) -> Bool { ratios[type] != nil }

    /// Returns the predicted share of its bytes that data compresses to.
    func ratio(of type: TypeIndex) -> Double { ratios[type] ?? BlockSizer.firstRatio }

    /// Notes a block that was made.
    ///
    /// - Parameter block: One with little data says nothing about larger ones.
    mutating func note(_ block: BuiltBlock, of type: TypeIndex) {
        guard block.dataByteCount >= BlockCodec.fullByteCount else { return }
        let ratio = Double(block.packedByteCount) / Double(block.dataByteCount)
        ratios[type] = ratios[type].map { $0 + (ratio - $0) * BlockSizer.weight } ?? ratio
    }
}
