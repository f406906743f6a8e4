import TidemarkTesting

extension [UInt8] {
    /// Bytes that grow by one after every `step`, and begin again after 255: long payloads that compress.
    ///
    /// - Parameter step: Positive.
    package init(count: Int, growingEvery step: Int) {
        self = (0..<count).map { UInt8(truncatingIfNeeded: $0 / step) }
    }

    /// Random bytes of which every other is 7: half of them compresses.
    package init(halfRandom count: Int, seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        self = (0..<count).map { $0 % 2 == 0 ? 7 : UInt8(truncatingIfNeeded: random.next()) }
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
