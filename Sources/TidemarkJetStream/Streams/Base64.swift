/// Base64 as the JetStream API writes bodies.
///
/// - Source: RFC 4648, section 4.
enum Base64 {
    /// Returns the bytes of a text; nil when it is not base64.
    ///
    /// - Complexity: O(text).
    static func decoded(_ text: String) -> [UInt8]? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count * 3 / 4)
        var bits: UInt32 = 0
        var bitCount = 0
        var paddingCount = 0
        for digit in text.utf8 {
            let value: UInt32
            switch digit {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"): value = UInt32(digit - UInt8(ascii: "A"))
            case UInt8(ascii: "a")...UInt8(ascii: "z"): value = UInt32(digit - UInt8(ascii: "a")) + 26
            case UInt8(ascii: "0")...UInt8(ascii: "9"): value = UInt32(digit - UInt8(ascii: "0")) + 52
            case UInt8(ascii: "+"): value = 62
            case UInt8(ascii: "/"): value = 63
            case UInt8(ascii: "="):
                paddingCount += 1
                continue
            default: return nil
            }
            guard paddingCount == 0 else { return nil }
            bits = bits << 6 | value
            bitCount += 6
            if bitCount >= 8 {
                bitCount -= 8
                bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(bitCount)))
            }
        }
        return text.utf8.count.isMultiple(of: 4) && paddingCount <= 2 ? bytes : nil
    }
}
