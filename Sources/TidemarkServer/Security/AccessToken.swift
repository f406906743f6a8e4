/// The secret that every request has to show: 256 random bits, as 64 hexadecimal digits.
///
/// No text has the token: its description hides it.
public struct AccessToken: Hashable, Sendable, CustomStringConvertible {
    let digits: [UInt8]

    /// The number of digits.
    static let digitCount = 64

    /// Makes a token of the system's randomness.
    public init() {
        var generator = SystemRandomNumberGenerator()
        self.init(using: &generator)
    }

    init(using generator: inout some RandomNumberGenerator) {
        let hexadecimal = Array("0123456789abcdef".utf8)
        digits = (0..<AccessToken.digitCount / 16).flatMap { _ in
            let bits = generator.next() as UInt64
            return (0..<16).map { hexadecimal[Int(truncatingIfNeeded: bits >> UInt64($0 * 4)) & 0xF] }
        }
    }

    /// Reads a token.
    ///
    /// - Returns: nil when the text is not 64 lowercase hexadecimal digits.
    public init?(_ text: String) {
        let bytes = Array(text.utf8)
        let areDigits = bytes.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
        guard bytes.count == AccessToken.digitCount, areDigits else { return nil }
        digits = bytes
    }

    /// The token as text, for the client that is to send it.
    public var text: String { String(decoding: digits, as: UTF8.self) }

    public var description: String { "a token of \(AccessToken.digitCount) digits" }

    /// Tells whether a text is the token, in a time that depends only on the length of the text.
    func matches(_ text: some Collection<UInt8>) -> Bool {
        var difference: UInt8 = text.count == digits.count ? 0 : 1
        var index = 0
        for byte in text {
            difference |= byte ^ digits[index % digits.count]
            index += 1
        }
        return difference == 0 && index == digits.count
    }
}
