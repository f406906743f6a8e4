/// Skips runs of bytes inside JSON tokens: plain characters of strings, and numbers.
package enum JSONRuns {
    /// Skips bytes that are neither a quote, a backslash nor a control character, eight at a time.
    ///
    /// - Parameter bits: Collects all bits that are set in a skipped byte, and perhaps bits of some bytes after them.
    @inline(__always)
    @inlinable package static func skipPlain(_ bytes: UnsafeRawBufferPointer, _ at: inout Int, _ bits: inout UInt64) {
        let ones: UInt64 = 0x0101_0101_0101_0101
        while at + 8 <= bytes.count {
            let word = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: at, as: UInt64.self))
            let quote = word ^ ones &* UInt64(UInt8(ascii: "\""))
            let backslash = word ^ ones &* UInt64(UInt8(ascii: "\\"))
            // The lowest high bit that is set marks the first such byte. Higher ones may be wrong.
            let found =
                ((quote &- ones) & ~quote | (backslash &- ones) & ~backslash | (word &- ones &* 0x20) & ~word)
                & ones << 7
            bits |= word
            if found != 0 {
                at += found.trailingZeroBitCount / 8
                return
            }
            at += 8
        }
        while at < bytes.count, bytes[at] != UInt8(ascii: "\""), bytes[at] != UInt8(ascii: "\\"), bytes[at] >= 0x20 {
            bits |= UInt64(bytes[at])
            at += 1
        }
    }

    /// Returns where the first run of a string that is not UTF-8 begins; nil when the whole string is UTF-8.
    ///
    /// Runs end at escapes. A byte of a longer UTF-8 sequence is never a backslash, so a run is valid or invalid as a
    /// whole.
    @inlinable package static func firstRunOutsideUTF8(_ bytes: UnsafeRawBufferPointer, _ string: Range<Int>) -> Int? {
        var start = string.lowerBound
        while start < string.upperBound {
            let end = bytes[start..<string.upperBound].firstIndex(of: UInt8(ascii: "\\")) ?? string.upperBound
            if String(validating: bytes[start..<end], as: UTF8.self) == nil { return start }
            guard end < string.upperBound else { return nil }
            start = end + (JSONEscapes.byteCount(bytes, at: end) ?? 1)
        }
        return nil
    }

    /// The form of a number.
    package enum NumberForm {
        /// The number has neither fraction nor exponent.
        case integer
        case fraction
        /// A digit is missing.
        case wrong
    }

    /// Skips a number.
    ///
    /// - Parameter position: The first byte of the number; afterwards, the byte after it, or the one where a digit is
    ///   missing.
    @inline(__always)
    @inlinable package static func number(_ bytes: UnsafeRawBufferPointer, _ position: inout Int) -> NumberForm {
        var form = NumberForm.integer
        skip(UInt8(ascii: "-"), bytes, &position)
        if !skip(UInt8(ascii: "0"), bytes, &position), !digits(bytes, &position) { return .wrong }
        if skip(UInt8(ascii: "."), bytes, &position) {
            form = .fraction
            guard digits(bytes, &position) else { return .wrong }
        }
        if position < bytes.count, bytes[position] | 0x20 == UInt8(ascii: "e") {
            form = .fraction
            position += 1
            if !skip(UInt8(ascii: "+"), bytes, &position) { skip(UInt8(ascii: "-"), bytes, &position) }
            guard digits(bytes, &position) else { return .wrong }
        }
        return form
    }

    @inline(__always)
    @discardableResult
    @inlinable static func skip(_ byte: UInt8, _ bytes: UnsafeRawBufferPointer, _ position: inout Int) -> Bool {
        guard position < bytes.count, bytes[position] == byte else { return false }
        position += 1
        return true
    }

    @inline(__always)
    @inlinable static func digits(_ bytes: UnsafeRawBufferPointer, _ position: inout Int) -> Bool {
        let start = position
        while position < bytes.count, bytes[position] &- UInt8(ascii: "0") < 10 { position += 1 }
        return position > start
    }
}
