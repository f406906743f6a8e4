/// Reads one escape of a string, beginning at its `\`.
///
/// - Source: GraphQL, October 2021, section 2.9.4; `\u{…}` and pairs of surrogates from the draft after it.
struct StringEscape {
    private let bytes: [UInt8]
    /// The offset of the `\` at first; after reading, the offset after the escape.
    private(set) var offset: Int

    init(_ bytes: [UInt8], at offset: Int) {
        self.bytes = bytes
        self.offset = offset
    }

    /// Reads the escape.
    ///
    /// - Returns: The character of the escape; nil if it is invalid, such as a single surrogate.
    mutating func scalar() -> Unicode.Scalar? {
        guard offset + 1 < bytes.count else { return nil }
        let sign = bytes[offset + 1]
        offset += 2
        switch sign {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(sign)
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{C}"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "u"): return unicode()
        default: return nil
        }
    }

    private mutating func unicode() -> Unicode.Scalar? {
        if offset < bytes.count, bytes[offset] == UInt8(ascii: "{") { return braced() }
        guard let first = fourDigits() else { return nil }
        guard 0xD800...0xDBFF ~= first else { return Unicode.Scalar(first) }
        guard offset + 1 < bytes.count, bytes[offset] == UInt8(ascii: "\\"), bytes[offset + 1] == UInt8(ascii: "u")
        else { return nil }
        offset += 2
        guard let second = fourDigits(), 0xDC00...0xDFFF ~= second else { return nil }
        return Unicode.Scalar(0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00))
    }

    private mutating func fourDigits() -> UInt32? {
        guard offset + 4 <= bytes.count else { return nil }
        var value: UInt32 = 0
        for byte in bytes[offset..<offset + 4] {
            guard let digit = StringEscape.hexDigit(byte) else { return nil }
            value = value << 4 | digit
        }
        offset += 4
        return value
    }

    /// Reads an escape such as `{1F600}`; any number of leading zeros is allowed.
    private mutating func braced() -> Unicode.Scalar? {
        offset += 1
        let start = offset
        var value: UInt32 = 0
        while offset < bytes.count, let digit = StringEscape.hexDigit(bytes[offset]) {
            value = value << 4 | digit
            guard value <= 0x10FFFF else { return nil }
            offset += 1
        }
        guard offset > start, offset < bytes.count, bytes[offset] == UInt8(ascii: "}") else { return nil }
        offset += 1
        return Unicode.Scalar(value)
    }

    private static func hexDigit(_ byte: UInt8) -> UInt32? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(byte - UInt8(ascii: "0"))
        case UInt8(ascii: "A")...UInt8(ascii: "F"): UInt32(byte - UInt8(ascii: "A") + 10)
        case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt32(byte - UInt8(ascii: "a") + 10)
        default: nil
        }
    }
}
