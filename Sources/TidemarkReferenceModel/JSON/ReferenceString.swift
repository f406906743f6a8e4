/// A JSON string in both of its forms: its spelling and its meaning.
package struct ReferenceString: Equatable, Sendable {
    /// The bytes on the line, quotation marks included.
    package let spelling: [UInt8]
    /// The bytes that the string stands for. A lone surrogate is written in the three bytes of its code
    /// point, so that equal keys stay equal; see ``hasLoneSurrogate``.
    package let unescaped: [UInt8]
    /// Whether an escape names half of a surrogate pair, which no UTF-8 text can hold.
    package let hasLoneSurrogate: Bool

    package init(spelling: [UInt8], unescaped: [UInt8], hasLoneSurrogate: Bool) {
        self.spelling = spelling
        self.unescaped = unescaped
        self.hasLoneSurrogate = hasLoneSurrogate
    }

    /// Spells bytes as a JSON string: `"` and `\` are escaped, control characters below U+0020 in their short form
    /// where JSON has one and as `\u00xx` in lower case otherwise; everything else is unchanged.
    ///
    /// - Parameter unescaped: UTF-8. Copied.
    package init(_ unescaped: [UInt8]) {
        var spelling: [UInt8] = [UInt8(ascii: "\"")]
        for byte in unescaped {
            switch byte {
            case UInt8(ascii: "\""): spelling += Array("\\\"".utf8)
            case UInt8(ascii: "\\"): spelling += Array("\\\\".utf8)
            case 0x08: spelling += Array("\\b".utf8)
            case 0x09: spelling += Array("\\t".utf8)
            case 0x0A: spelling += Array("\\n".utf8)
            case 0x0C: spelling += Array("\\f".utf8)
            case 0x0D: spelling += Array("\\r".utf8)
            case 0x00..<0x20:
                let digits = Array("0123456789abcdef".utf8)
                spelling += Array("\\u00".utf8)
                spelling.append(digits[Int(byte >> 4)])
                spelling.append(digits[Int(byte & 15)])
            default: spelling.append(byte)
            }
        }
        spelling.append(UInt8(ascii: "\""))
        self.init(spelling: spelling, unescaped: unescaped, hasLoneSurrogate: false)
    }
}
