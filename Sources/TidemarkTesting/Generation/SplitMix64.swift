/// A seeded generator: the same seed gives the same numbers on every machine, for ever.
///
/// - Source: Steele, Lea, Flood: "Fast splittable pseudorandom number generators", 2014.
package struct SplitMix64: RandomNumberGenerator, Sendable {
    private var state: UInt64

    package init(seed: UInt64) { state = seed }

    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// A number from 0 up to, not including, `count`, which is at least 1.
    package mutating func below(_ count: Int) -> Int {
        precondition(count >= 1, "below(\(count)): nothing to choose from")
        return Int(next() % UInt64(count))
    }

    /// True `perMille` times of a thousand.
    package mutating func chance(_ perMille: Int) -> Bool { below(1_000) < perMille }

    /// One of the elements; there must be one.
    package mutating func pick<Element>(_ elements: [Element]) -> Element { elements[below(elements.count)] }

    /// An index, each as likely as its weight.
    ///
    /// - Parameter weights: Not negative, not all zero.
    package mutating func weighted(_ weights: [Int]) -> Int {
        var rest = below(weights.reduce(0, +))
        for (index, weight) in weights.enumerated() {
            if rest < weight { return index }
            rest -= weight
        }
        preconditionFailure("weights \(weights) summed to less than a number below their sum")
    }
}
