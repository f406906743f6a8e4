/// The escapes inside a JSON string.
enum JSONEscapes {
    /// How long the escape at a backslash is.
    ///
    /// - Returns: nil when it is none.
    static func byteCount(_ bytes: UnsafeRawBufferPointer, at backslash: Int) -> Int? {
        guard backslash + 1 < bytes.count else { return nil }
        switch bytes[backslash + 1] {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
            UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
            return 2
        case UInt8(ascii: "u"):
            return codeUnit(bytes, at: backslash) == nil ? nil : 6
        default:
            return nil
        }
    }

    /// The text that an escaped spelling stands for.
    ///
    /// - Parameter text: Between its quotes; its escapes were checked.
    /// - Returns: Half a surrogate pair, which no UTF-8 stands for, as U+FFFD, and whether there was one.
    static func unescaped(_ text: UnsafeRawBufferPointer) -> (bytes: [UInt8], isBroken: Bool) {
        var result: [UInt8] = []
        result.reserveCapacity(text.count)
        var isBroken = false
        var at = 0
        while at < text.count {
            guard text[at] == UInt8(ascii: "\\") else {
                result.append(text[at])
                at += 1
                continue
            }
            if let unit = codeUnit(text, at: at) {
                at += 6
                var scalar = Unicode.Scalar(unit)
                if UTF16.isLeadSurrogate(unit), let low = codeUnit(text, at: at), UTF16.isTrailSurrogate(low) {
                    at += 6
                    scalar = Unicode.Scalar(0x1_0000 + (UInt32(unit) - 0xD800) << 10 + (UInt32(low) - 0xDC00))
                }
                if scalar == nil { isBroken = true }
                result.append(contentsOf: UTF8.encode(scalar ?? "\u{FFFD}") ?? UTF8.encodedReplacementCharacter)
            } else {
                result.append(plain(text[at + 1]))
                at += 2
            }
        }
        return (result, isBroken)
    }

    private static func plain(_ escape: UInt8) -> UInt8 {
        switch escape {
        case UInt8(ascii: "b"): 0x08
        case UInt8(ascii: "f"): 0x0C
        case UInt8(ascii: "n"): 0x0A
        case UInt8(ascii: "r"): 0x0D
        case UInt8(ascii: "t"): 0x09
        default: escape
        }
    }

    /// The code unit of a `\u` escape.
    ///
    /// - Returns: nil when none stands there.
    private static func codeUnit(_ text: UnsafeRawBufferPointer, at backslash: Int) -> UInt16? {
        guard backslash + 6 <= text.count, text[backslash] == UInt8(ascii: "\\"),
            text[backslash + 1] == UInt8(ascii: "u")
        else { return nil }
        var unit: UInt16 = 0
        for byte in text[backslash + 2..<backslash + 6] {
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): unit = unit << 4 | UInt16(byte - UInt8(ascii: "0"))
            case UInt8(ascii: "a")...UInt8(ascii: "f"): unit = unit << 4 | UInt16(byte - UInt8(ascii: "a") + 10)
            case UInt8(ascii: "A")...UInt8(ascii: "F"): unit = unit << 4 | UInt16(byte - UInt8(ascii: "A") + 10)
            default: return nil
            }
        }
        return unit
    }
}
