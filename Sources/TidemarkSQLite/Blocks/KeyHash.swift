/// The hash of a key in the index of places: 12 bits choose a segment, 64 are kept in a slot.
///
/// Two of ten million keys have one hash with a probability of 1 in 10⁹.
/// - Source: docs/decisions/0020-past-memory.md.
struct KeyHash: Hashable {
    static let segmentBitCount = 12

    /// The index of the segment.
    let segment: Int
    /// The bits in the slot.
    let tag: UInt64

    /// - Parameters:
    ///   - high: 64 bits of a hash; the first 12 are used.
    ///   - low: 64 bits that do not depend on the others.
    init(high: UInt64, low: UInt64) {
        segment = Int(high >> UInt64(64 - KeyHash.segmentBitCount))
        tag = low
    }
}
