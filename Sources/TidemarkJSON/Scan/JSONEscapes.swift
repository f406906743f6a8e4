/// The escapes inside a JSON string.
package enum JSONEscapes {
    /// Returns the length in bytes of the escape that begins at a backslash.
    ///
    /// - Returns: nil when there is no valid escape.
    @inlinable package static func byteCount(_ bytes: UnsafeRawBufferPointer, at backslash: Int) -> Int? {
        guard backslash + 1 < bytes.count else { return nil }
        switch bytes[backslash + 1] {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
            UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
            return 2
        case UInt8(ascii: "u"):
            return hexDigitCount(bytes, from: backslash + 2) == 4 ? 6 : nil
        default:
            return nil
        }
    }

    /// Returns the fault of a string that cannot be continued at an offset: the text ends there, or the byte is a
    /// control character, or a backslash without a valid escape.
    @inlinable package static func fault(_ bytes: UnsafeRawBufferPointer, at offset: Int) -> JSONFault {
        guard offset < bytes.count else { return JSONFault(offset: offset, message: "the text ends inside a string") }
        guard bytes[offset] == UInt8(ascii: "\\") else {
            return JSONFault(offset: offset, message: "a control character must be escaped")
        }
        guard offset + 1 < bytes.count else {
            return JSONFault(offset: offset + 1, message: "the text ends inside an escape")
        }
        guard bytes[offset + 1] == UInt8(ascii: "u") else {
            return JSONFault(offset: offset + 1, message: "this escape does not exist")
        }
        return JSONFault(
            offset: offset + 2 + hexDigitCount(bytes, from: offset + 2), message: "a hexadecimal digit is missing")
    }

    /// Returns the text of a string without its escapes.
    ///
    /// - Parameter text: The bytes between the quotes, whose escapes were checked.
    /// - Returns: The unescaped bytes, and whether they contained half a surrogate pair. UTF-8 cannot encode half a
    ///   pair, so each is replaced by U+FFFD.
    @inlinable package static func unescaped(_ text: UnsafeRawBufferPointer) -> (bytes: [UInt8], isBroken: Bool) {
        var bytes = JSONText.unescaped(text)
        var isBroken = false
        // In UTF-8 the byte after ED is below A0; half a surrogate pair takes as many bytes as U+FFFD.
        for at in bytes.indices.dropLast(2) where bytes[at] == 0xED && bytes[at + 1] >= 0xA0 {
            bytes.replaceSubrange(at..<at + 3, with: [0xEF, 0xBF, 0xBD])
            isBroken = true
        }
        return (bytes, isBroken)
    }

    /// Returns the number of hexadecimal digits from an offset on, at most 4.
    @inlinable static func hexDigitCount(_ bytes: UnsafeRawBufferPointer, from start: Int) -> Int {
        bytes[start..<min(start + 4, bytes.count)].prefix { byte in
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"),
                UInt8(ascii: "A")...UInt8(ascii: "F"):
                true
            default: false
            }
        }.count
    }
}
