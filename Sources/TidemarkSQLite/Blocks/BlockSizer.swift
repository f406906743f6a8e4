import TidemarkStore

/// Predicts the compressed size of data from earlier blocks of the same type.
struct BlockSizer {
    /// The ratio for a type without a block yet: that of payloads without a dictionary.
    private static let firstRatio = 0.35
    /// The weight of the latest block in the running ratio.
    private static let weight = 0.1

    /// A ratio for each type, at most 65,536.
    private var ratios: [TypeIndex: Double] = [:]

    /// Returns true if a block of the type was recorded.
    func knows(_ type: TypeIndex) -> Bool { ratios[type] != nil }

    /// Returns the predicted compressed size of data, as a share of its size.
    func ratio(of type: TypeIndex) -> Double { ratios[type] ?? BlockSizer.firstRatio }

    /// Records a block. Blocks with little data are ignored, because they say nothing about larger ones.
    mutating func note(_ block: BuiltBlock, of type: TypeIndex) {
        guard block.dataByteCount >= BlockCodec.fullByteCount else { return }
        let ratio = Double(block.packedByteCount) / Double(block.dataByteCount)
        ratios[type] = ratios[type].map { $0 + (ratio - $0) * BlockSizer.weight } ?? ratio
    }
}
