/// Scans validated JSON without insignificant white space.
///
/// The store holds only such bytes, so the cursor does not repeat the checks of the wire. A precondition guards each
/// place where a wrong byte would lead out of the buffer.
package struct JSONCursor {
    package let bytes: UnsafeRawBufferPointer
    package var position: Int

    @inlinable package init(_ bytes: UnsafeRawBufferPointer, at position: Int = 0) {
        self.bytes = bytes
        self.position = position
    }

    /// The current byte; 0 past the end. No JSON contains 0.
    @inlinable package var byte: UInt8 { position < bytes.count ? bytes[position] : 0 }

    @inlinable package mutating func step() {
        position += 1
    }

    /// Steps over a string and returns the range between its quotes.
    @inlinable package mutating func string() -> Range<Int> {
        var isEscaped = false
        return string(isEscaped: &isEscaped)
    }

    /// Steps over a string and returns the range between its quotes.
    ///
    /// - Parameter isEscaped: Set to true if the string has a backslash.
    @inlinable package mutating func string(isEscaped: inout Bool) -> Range<Int> {
        // No input reaches it: every stored value was validated, by the decoder or when it was read from a file.
        precondition(byte == UInt8(ascii: "\""), "no string at byte \(position) of a stored value")
        var at = position + 1
        while true {
            at += JSONCursor.plainByteCount(bytes, at: at)
            guard at < bytes.count, bytes[at] == UInt8(ascii: "\\") else { break }
            isEscaped = true
            at += 2
        }
        // No input reaches it: a validated string ends.
        precondition(at < bytes.count, "a stored string has no end")
        let inner = position + 1..<at
        position = at + 1
        return inner
    }

    /// Returns how many bytes from an offset on are neither a quote nor a backslash; compares eight at a time.
    @inlinable package static func plainByteCount(_ bytes: UnsafeRawBufferPointer, at start: Int) -> Int {
        let ones: UInt64 = 0x0101_0101_0101_0101
        var at = start
        while at + 8 <= bytes.count {
            let word = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: at, as: UInt64.self))
            let quote = word ^ ones &* UInt64(UInt8(ascii: "\""))
            let backslash = word ^ ones &* UInt64(UInt8(ascii: "\\"))
            // The lowest high bit that is set marks the first byte that became 0; bits above it may be wrong.
            let found = ((quote &- ones) & ~quote | (backslash &- ones) & ~backslash) & ones << 7
            if found != 0 { return at + found.trailingZeroBitCount / 8 - start }
            at += 8
        }
        while at < bytes.count, bytes[at] != UInt8(ascii: "\""), bytes[at] != UInt8(ascii: "\\") { at += 1 }
        return at - start
    }

    /// Steps over one value of any kind and returns its range.
    @inlinable package mutating func value() -> Range<Int> {
        let start = position
        var depth = 0
        repeat {
            switch byte {
            case UInt8(ascii: "\""):
                _ = string()
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                depth += 1
                step()
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                depth -= 1
                step()
            case UInt8(ascii: ","), UInt8(ascii: ":"):
                step()
            default:
                // No input reaches it: a validated value ends.
                precondition(position < bytes.count, "a stored value has no end")
                scalar()
            }
        } while depth > 0
        return start..<position
    }

    @inlinable mutating func scalar() {
        while position < bytes.count {
            switch bytes[position] {
            case UInt8(ascii: ","), UInt8(ascii: "}"), UInt8(ascii: "]"): return
            default: position += 1
            }
        }
    }
}
