/// Decodes base64url as JSON Web Tokens and keys write it: without padding, white space or line breaks.
///
/// Only one text decodes to given bytes, so that a token has one spelling: other alphabets, padding, and bits behind
/// the last byte are refused.
///
/// - Source: RFC 4648, sections 3.5 and 5; RFC 7515, section 2.
enum Base64URL {
    /// Returns the bytes of a text; nil if it is not base64url.
    ///
    /// - Complexity: O(text.count).
    static func decoded(_ text: some Collection<UInt8>) -> [UInt8]? {
        guard text.count % 4 != 1 else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count / 4 * 3 + 2)
        var (bits, bitCount) = (UInt32(0), 0)
        for character in text {
            guard let value = value(of: character) else { return nil }
            bits = bits << 6 | UInt32(value)
            bitCount += 6
            guard bitCount >= 8 else { continue }
            bitCount -= 8
            bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(bitCount)))
            bits &= 1 << UInt32(bitCount) - 1
        }
        return bits == 0 ? bytes : nil
    }

    /// Returns the text of bytes.
    static func encoded(_ bytes: some Collection<UInt8>) -> String {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
        var text: [UInt8] = []
        var (bits, bitCount) = (UInt32(0), 0)
        for byte in bytes {
            bits = bits << 8 | UInt32(byte)
            bitCount += 8
            while bitCount >= 6 {
                bitCount -= 6
                text.append(alphabet[Int(bits >> UInt32(bitCount) & 63)])
            }
            bits &= 1 << UInt32(bitCount) - 1
        }
        if bitCount > 0 { text.append(alphabet[Int(bits << UInt32(6 - bitCount) & 63)]) }
        return String(decoding: text, as: UTF8.self)
    }

    private static func value(of character: UInt8) -> UInt8? {
        switch character {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): character - UInt8(ascii: "A")
        case UInt8(ascii: "a")...UInt8(ascii: "z"): character - UInt8(ascii: "a") + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): character - UInt8(ascii: "0") + 52
        case UInt8(ascii: "-"): 62
        case UInt8(ascii: "_"): 63
        default: nil
        }
    }
}
