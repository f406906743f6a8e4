/// A digest of everything that a simulation saw, in order: equal for equal seeds, on every machine.
package struct SimulationDigest: Hashable, Sendable, CustomStringConvertible {
    private var state: UInt64 = 0xCBF2_9CE4_8422_2325

    /// Creates the digest of nothing.
    package init() {}

    /// Adds a text to the digest.
    ///
    /// - Source: FNV-1a, 64 bits.
    package mutating func mix(_ text: String) {
        for byte in text.utf8 { state = (state ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
    }

    /// Adds bytes to the digest.
    package mutating func mix(_ bytes: [UInt8]) {
        for byte in bytes { state = (state ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
    }

    /// The digest as 16 hexadecimal digits.
    package var description: String {
        let digits = String(state, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}
