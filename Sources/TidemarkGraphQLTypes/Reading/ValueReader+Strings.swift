extension ValueReader {
    /// Reads a string; a number is returned as its text, because an `ID` may be one.
    ///
    /// - Throws: ``SelectionError`` `wrongKind` for another value, `malformed` for an invalid string.
    @inlinable
    public mutating func string() throws(SelectionError) -> String {
        guard current == UInt8(ascii: "\"") else { return try numberText() }
        let start = offset + 1
        var at = start
        while at < bytes.count {
            let byte = bytes[at]
            if byte == UInt8(ascii: "\"") {
                offset = at + 1
                return String(decoding: UnsafeRawBufferPointer(rebasing: bytes[start..<at]), as: UTF8.self)
            }
            if byte == UInt8(ascii: "\\") || byte < 0x20 { break }
            at += 1
        }
        return try escapedString()
    }

    @usableFromInline
    mutating func numberText() throws(SelectionError) -> String {
        guard current == UInt8(ascii: "-") || 0x30...0x39 ~= current else { throw wrongKind("String") }
        let start = offset
        skipNumber()
        return String(decoding: bytes[start..<offset], as: UTF8.self)
    }

    /// Reads a string that has escapes.
    @usableFromInline
    mutating func escapedString() throws(SelectionError) -> String {
        var text: [UInt8] = []
        offset += 1
        while offset < bytes.count {
            let byte = bytes[offset]
            offset += 1
            switch byte {
            case UInt8(ascii: "\""): return String(decoding: text, as: UTF8.self)
            case UInt8(ascii: "\\"): try appendEscape(to: &text)
            case ..<0x20:
                offset -= 1
                throw malformed("a character of a string")
            default: text.append(byte)
            }
        }
        throw malformed("the end of a string")
    }

    /// Decodes an escape. Half a surrogate pair becomes U+FFFD.
    private mutating func appendEscape(to text: inout [UInt8]) throws(SelectionError) {
        let letter = current
        offset += 1
        switch letter {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(letter)
        case UInt8(ascii: "b"): text.append(0x08)
        case UInt8(ascii: "f"): text.append(0x0C)
        case UInt8(ascii: "n"): text.append(0x0A)
        case UInt8(ascii: "r"): text.append(0x0D)
        case UInt8(ascii: "t"): text.append(0x09)
        case UInt8(ascii: "u"):
            var code = UInt32(try codeUnit())
            if 0xD800..<0xDC00 ~= code {
                let start = offset
                if consume("\\u") {
                    let low = UInt32(try codeUnit())
                    if 0xDC00..<0xE000 ~= low {
                        code = 0x10000 + (code - 0xD800) << 10 + (low - 0xDC00)
                    } else {
                        offset = start
                    }
                }
            }
            text += Array(String(Character(Unicode.Scalar(code) ?? "\u{FFFD}")).utf8)
        default:
            offset -= 1
            throw malformed("an escape")
        }
    }

    private mutating func codeUnit() throws(SelectionError) -> UInt16 {
        var code: UInt16 = 0
        for _ in 0..<4 {
            let digit: UInt8
            switch current {
            case 0x30...0x39: digit = current - 0x30
            case 0x41...0x46: digit = current - 0x41 + 10
            case 0x61...0x66: digit = current - 0x61 + 10
            default: throw malformed("a hexadecimal digit")
            }
            code = code << 4 | UInt16(digit)
            offset += 1
        }
        return code
    }
}
