/// Random numbers that a seed repeats exactly on every machine, by SplitMix64.
///
/// ```swift
/// var random = SeededGenerator(seed: 7)
/// print(random.below(6) + 1, random.pick(["sea", "shore"]), Int.random(in: 0..<10, using: &random))
/// ```
///
/// - Source: Steele, Lea, Flood: Fast splittable pseudorandom number generators, 2014.
public struct SeededGenerator: RandomNumberGenerator, Sendable {
    private var state: UInt64

    /// Makes a generator.
    ///
    /// - Parameter seed: Any number.
    public init(seed: UInt64) {
        state = seed
    }

    /// Draws the next 64 bits, each value with the same chance.
    public mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
    }
}
