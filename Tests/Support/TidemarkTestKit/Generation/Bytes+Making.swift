import TidemarkTesting

extension [UInt8] {
    /// Creates bytes that grow by one after every `step` and start over after 255: long payloads that compress.
    ///
    /// - Parameter step: Positive.
    package init(count: Int, growingEvery step: Int) {
        precondition(step > 0, "bytes that never grow")
        let period = (UInt8.min...UInt8.max).flatMap { repeatElement($0, count: step) }
        self = []
        reserveCapacity(count)
        while self.count < count { self += period.prefix(count - self.count) }
    }

    /// Creates random bytes of which every other one is constant, so that half of them compress.
    package init(halfRandom count: Int, seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let words = (0..<(count + 7) / 8).map { _ in
            (random.next() & 0xFF00_FF00_FF00_FF00 | 0x0007_0007_0007_0007).littleEndian
        }
        self = words.withUnsafeBytes { Array($0.prefix(count)) }
    }

    /// The bytes as hexadecimal digits, in upper case.
    package var hex: String {
        let digits = Array("0123456789ABCDEF".utf8)
        var text: [UInt8] = []
        text.reserveCapacity(count * 2)
        for byte in self {
            text.append(digits[Int(byte >> 4)])
            text.append(digits[Int(byte & 15)])
        }
        return String(decoding: text, as: UTF8.self)
    }
}
