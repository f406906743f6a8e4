/// A JSON string with both its spelling and its meaning.
package struct ReferenceString: Equatable, Sendable {
    /// The bytes on the line, including quotation marks.
    package let spelling: [UInt8]
    /// The unescaped bytes. A lone surrogate becomes the three bytes of its code point, so that equal keys stay equal;
    /// see ``hasLoneSurrogate``.
    package let unescaped: [UInt8]
    /// True if an escape names half of a surrogate pair, which UTF-8 cannot represent.
    package let hasLoneSurrogate: Bool

    /// Creates a string from its spelling and its meaning.
    package init(spelling: [UInt8], unescaped: [UInt8], hasLoneSurrogate: Bool) {
        self.spelling = spelling
        self.unescaped = unescaped
        self.hasLoneSurrogate = hasLoneSurrogate
    }

    /// Spells bytes as a JSON string: `"` and `\` are escaped; control characters below U+0020 in their short form if
    /// JSON has one, otherwise as `\u00xx` in lower case; everything else is unchanged.
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
