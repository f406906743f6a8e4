/// Writes strings of canonical JSON: only characters that must be escaped are, each in one way.
package enum CanonicalString {
    private static let hexDigits = Array("0123456789abcdef".utf8)

    /// Appends a string with its quotes.
    ///
    /// - Parameters:
    ///   - string: The text without escapes. An unpaired surrogate is three bytes, from ED A0 80 on.
    ///   - text: The JSON to append to.
    package static func append(_ string: [UInt8], to text: inout [UInt8]) {
        text.append(UInt8(ascii: "\""))
        var index = 0
        while index < string.count {
            let byte = string[index]
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): text += [UInt8(ascii: "\\"), byte]
            case 0x08: text += "\\b".utf8
            case 0x09: text += "\\t".utf8
            case 0x0A: text += "\\n".utf8
            case 0x0C: text += "\\f".utf8
            case 0x0D: text += "\\r".utf8
            case 0..<0x20: appendEscape(UInt32(byte), to: &text)
            case 0xED where index + 2 < string.count && string[index + 1] >= 0xA0:
                appendEscape(
                    0xD000 | UInt32(string[index + 1] & 0x3F) << 6 | UInt32(string[index + 2] & 0x3F), to: &text)
                index += 2
            default: text.append(byte)
            }
            index += 1
        }
        text.append(UInt8(ascii: "\""))
    }

    /// Appends the UTF-8 bytes of a code point. An unpaired surrogate becomes the three bytes that UTF-8 would give it.
    package static func append(code: UInt32, to text: inout [UInt8]) {
        func tail(_ shift: UInt32) -> UInt8 { UInt8(0x80 | code >> shift & 0x3F) }
        switch code {
        case ..<0x80: text.append(UInt8(code))
        case ..<0x800: text += [UInt8(0xC0 | code >> 6), tail(0)]
        case ..<0x1_0000: text += [UInt8(0xE0 | code >> 12), tail(6), tail(0)]
        default: text += [UInt8(0xF0 | code >> 18), tail(12), tail(6), tail(0)]
        }
    }

    private static func appendEscape(_ code: UInt32, to text: inout [UInt8]) {
        text += "\\u".utf8
        for shift: UInt32 in [12, 8, 4, 0] { text.append(hexDigits[Int(code >> shift & 0xF)]) }
    }
}
