import TidemarkStore

/// The escapes inside a JSON string.
enum JSONEscapes {
    /// The length in bytes of the escape at a backslash.
    ///
    /// - Returns: nil when there is no valid escape.
    static func byteCount(_ bytes: UnsafeRawBufferPointer, at backslash: Int) -> Int? {
        guard backslash + 1 < bytes.count else { return nil }
        switch bytes[backslash + 1] {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
            UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
            return 2
        case UInt8(ascii: "u"):
            return isCodeUnit(bytes, at: backslash) ? 6 : nil
        default:
            return nil
        }
    }

    /// Returns the text that an escaped string represents.
    ///
    /// - Parameter text: The bytes between the quotes; their escapes were checked.
    /// - Returns: The unescaped bytes, and whether they held half a surrogate pair. UTF-8 cannot represent half a pair,
    ///   so each is replaced by U+FFFD.
    static func unescaped(_ text: UnsafeRawBufferPointer) -> (bytes: [UInt8], isBroken: Bool) {
        var bytes = JSONText.unescaped(text)
        var isBroken = false
        // In UTF-8 the byte after ED is below A0; half a surrogate pair takes as many bytes as U+FFFD.
        for at in bytes.indices.dropLast(2) where bytes[at] == 0xED && bytes[at + 1] >= 0xA0 {
            bytes.replaceSubrange(at..<at + 3, with: [0xEF, 0xBF, 0xBD])
            isBroken = true
        }
        return (bytes, isBroken)
    }

    private static func isCodeUnit(_ text: UnsafeRawBufferPointer, at backslash: Int) -> Bool {
        guard backslash + 6 <= text.count else { return false }
        return text[backslash + 2..<backslash + 6].allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"),
                UInt8(ascii: "A")...UInt8(ascii: "F"):
                true
            default: false
            }
        }
    }
}
