/// The secret that every request must send: 256 random bits, as 64 lowercase hexadecimal digits.
///
/// Its ``description`` hides the digits, so that a log cannot leak them; use ``text`` to send them.
///
/// ```swift
/// let token = AccessToken()
/// let server = CacheServer(cache, configuration: CacheServerConfiguration(token: token))
/// print("Authorization: Bearer \(token.text)")
/// try await server.run()
/// ```
public struct AccessToken: Hashable, Sendable, CustomStringConvertible {
    let digits: [UInt8]

    /// The number of digits.
    static let digitCount = 64

    /// Creates a token from the system's random number generator.
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

    /// Parses a token.
    ///
    /// - Returns: nil unless `text` consists of 64 lowercase hexadecimal digits.
    public init?(_ text: String) {
        let bytes = Array(text.utf8)
        let areDigits = bytes.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
        guard bytes.count == AccessToken.digitCount, areDigits else { return nil }
        digits = bytes
    }

    /// The 64 digits, for the client that sends them.
    public var text: String { String(decoding: digits, as: UTF8.self) }

    /// A text without the secret, safe to log.
    public var description: String { "a token of \(AccessToken.digitCount) digits" }

    /// Returns true if `text` is the token. The time it takes depends only on the length of `text`.
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
