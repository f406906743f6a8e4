#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Compares and unescapes text inside validated JSON.
package enum JSONText {
    /// Returns true if two spellings are the same name, as `"id"` and `"\u0069d"` are.
    ///
    /// - Complexity: O(n); copies only if one of them has a backslash.
    @inlinable package static func areEqual(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Bool {
        if isPlain(left), isPlain(right) { return haveEqualBytes(left, right) }
        return unescaped(left) == unescaped(right)
    }

    /// Returns true if two buffers have equal bytes.
    ///
    /// - Complexity: O(n).
    @inlinable package static func haveEqualBytes(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer)
        -> Bool
    {
        guard left.count == right.count else { return false }
        guard let leftStart = left.baseAddress, let rightStart = right.baseAddress else { return true }
        return memcmp(leftStart, rightStart, left.count) == 0
    }

    /// Returns the text that an escaped spelling represents.
    ///
    /// An unpaired surrogate, which UTF-8 cannot represent, becomes the three bytes that UTF-8 would give it. These
    /// equal no other text, which is enough to compare names.
    ///
    /// - Parameter text: The text between its quotes. Its escapes must be valid.
    /// - Complexity: O(n).
    @inlinable package static func unescaped(_ text: UnsafeRawBufferPointer) -> [UInt8] {
        if isPlain(text) { return Array(text) }
        var result: [UInt8] = []
        result.reserveCapacity(text.count)
        var at = 0
        while at < text.count {
            guard text[at] == UInt8(ascii: "\\") else {
                result.append(text[at])
                at += 1
                continue
            }
            let escape = text[at + 1]
            at += 2
            switch escape {
            case UInt8(ascii: "b"): result.append(0x08)
            case UInt8(ascii: "f"): result.append(0x0C)
            case UInt8(ascii: "n"): result.append(0x0A)
            case UInt8(ascii: "r"): result.append(0x0D)
            case UInt8(ascii: "t"): result.append(0x09)
            case UInt8(ascii: "u"):
                var code = codeUnit(text, at: at)
                at += 4
                if code & 0xFC00 == 0xD800, at + 6 <= text.count, text[at] == UInt8(ascii: "\\"),
                    text[at + 1] == UInt8(ascii: "u")
                {
                    let low = codeUnit(text, at: at + 2)
                    if low & 0xFC00 == 0xDC00 {
                        code = 0x1_0000 + (code & 0x3FF) << 10 + (low & 0x3FF)
                        at += 6
                    }
                }
                append(code, to: &result)
            default: result.append(escape)
            }
        }
        return result
    }

    /// Returns true if the spelling has no escapes, so that it is the text itself.
    @inlinable package static func isPlain(_ text: UnsafeRawBufferPointer) -> Bool {
        guard let start = text.baseAddress else { return true }
        return memchr(start, Int32(UInt8(ascii: "\\")), text.count) == nil
    }

    @inlinable static func codeUnit(_ text: UnsafeRawBufferPointer, at position: Int) -> UInt32 {
        var code: UInt32 = 0
        for byte in text[position..<position + 4] {
            let digit = byte < 0x3A ? byte - 0x30 : (byte | 0x20) - 0x61 + 10
            code = code << 4 | UInt32(digit)
        }
        return code
    }

    @inlinable static func append(_ code: UInt32, to result: inout [UInt8]) {
        switch code {
        case ..<0x80:
            result.append(UInt8(code))
        case ..<0x800:
            result.append(UInt8(0xC0 | code >> 6))
            result.append(UInt8(0x80 | code & 0x3F))
        case ..<0x1_0000:
            result.append(UInt8(0xE0 | code >> 12))
            result.append(UInt8(0x80 | code >> 6 & 0x3F))
            result.append(UInt8(0x80 | code & 0x3F))
        default:
            result.append(UInt8(0xF0 | code >> 18))
            result.append(UInt8(0x80 | code >> 12 & 0x3F))
            result.append(UInt8(0x80 | code >> 6 & 0x3F))
            result.append(UInt8(0x80 | code & 0x3F))
        }
    }
}
