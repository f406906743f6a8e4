/// A sequence of numbers that one seed decides, the same on every machine: SplitMix64.
///
/// Not for secrets.
/// - Source: G. Steele, D. Lea, C. Flood, "Fast splittable pseudorandom number generators", 2014.
public struct SeededRandom: RandomNumberGenerator, Sendable {
    private var state: UInt64

    public init(seed: UInt64) {
        state = seed
    }

    /// A sequence of its own for each `index`: what entity `index` draws does not depend on who drew before it.
    public init(seed: UInt64, index: UInt64) {
        state = SeededRandom.mixed(seed ^ SeededRandom.mixed(index &+ SeededRandom.increment))
    }

    public mutating func next() -> UInt64 {
        state &+= SeededRandom.increment
        return SeededRandom.mixed(state)
    }

    /// A number in `0 ..< bound`.
    ///
    /// The high half of a product, without rejection: its bias is below 2^-32 for the bounds used here, and every
    /// draw costs the same.
    /// - Parameter bound: At least 1.
    public mutating func below(_ bound: Int) -> Int {
        precondition(bound > 0, "no number lies below \(bound)")
        return Int(next().multipliedFullWidth(by: UInt64(bound)).high)
    }

    private static let increment: UInt64 = 0x9E37_79B9_7F4A_7C15

    private static func mixed(_ value: UInt64) -> UInt64 {
        var mixed = value
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
