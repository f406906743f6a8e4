extension SeededGenerator {
    /// A sequence of its own for each `index`: what entity `index` draws does not depend on who drew before it.
    public init(seed: UInt64, index: UInt64) {
        // The state after one draw of each is mixed already, so that neighbours in index have nothing in common.
        var inner = SeededGenerator(seed: index)
        var outer = SeededGenerator(seed: seed ^ inner.next())
        self.init(seed: outer.next())
    }

    /// A number in `0 ..< bound`.
    ///
    /// The high half of a product, without rejection: its bias is below 2^-32 for the bounds used here, every draw
    /// costs the same, and unlike the standard library's `random(in:using:)` it gives the same on every version.
    /// - Parameter bound: At least 1.
    public mutating func below(_ bound: Int) -> Int {
        precondition(bound > 0, "no number lies below \(bound)")
        return Int(next().multipliedFullWidth(by: UInt64(bound)).high)
    }
}
