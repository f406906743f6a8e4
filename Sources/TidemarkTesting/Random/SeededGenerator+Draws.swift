extension SeededGenerator {
    /// Makes an independent sequence for each `index`, so that draws for one entity do not depend on earlier draws for
    /// others.
    public init(seed: UInt64, index: UInt64) {
        // The seed and the index are each mixed by a draw, so that neighbouring indexes give unrelated sequences.
        var inner = SeededGenerator(seed: index)
        var outer = SeededGenerator(seed: seed ^ inner.next())
        self.init(seed: outer.next())
    }

    /// Draws a number in `0 ..< bound`.
    ///
    /// It is the high half of a product, without rejection. Its bias is below 2^-32 for the bounds that are used here,
    /// and every draw costs the same. Unlike the standard library's `random(in:using:)` it gives the same numbers in
    /// every version.
    ///
    /// - Parameter bound: At least 1.
    public mutating func below(_ bound: Int) -> Int {
        precondition(bound > 0, "no number lies below \(bound)")
        return Int(next().multipliedFullWidth(by: UInt64(bound)).high)
    }
}

extension SeededGenerator {
    /// Returns true with a chance of `perMille` in a thousand.
    public mutating func chance(_ perMille: Int) -> Bool { below(1_000) < perMille }

    /// Draws one of the elements, each with the same chance.
    ///
    /// - Parameter elements: At least one element.
    public mutating func pick<Element>(_ elements: [Element]) -> Element { elements[below(elements.count)] }

    /// Draws an index with a chance proportional to its weight.
    ///
    /// - Parameter weights: Numbers that are not negative and not all zero.
    public mutating func weighted(_ weights: [Int]) -> Int {
        var rest = below(weights.reduce(0, +))
        for (index, weight) in weights.enumerated() {
            if rest < weight { return index }
            rest -= weight
        }
        preconditionFailure("weights \(weights) summed to less than a number below their sum")
    }

    /// Draws bytes, each value with the same chance. One number gives eight of them: drawing them one by one would take
    /// most of the time of a test with long payloads.
    package mutating func bytes(_ count: Int) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: count) { buffer, initializedCount in
            var word: UInt64 = 0
            var index = 0
            while index < count {
                if index % 8 == 0 { word = next() }
                buffer[index] = UInt8(truncatingIfNeeded: word)
                word >>= 8
                index += 1
            }
            initializedCount = count
        }
    }

    /// Draws bytes of a range by remainder. If its width does not divide 256, lower values have a slightly higher
    /// chance.
    package mutating func bytes(_ count: Int, in range: ClosedRange<UInt8>) -> [UInt8] {
        let width = UInt16(range.upperBound - range.lowerBound) + 1
        var bytes = bytes(count)
        bytes.withUnsafeMutableBufferPointer { buffer in
            for index in buffer.indices {
                buffer[index] = range.lowerBound + UInt8(truncatingIfNeeded: UInt16(buffer[index]) % width)
            }
        }
        return bytes
    }
}
