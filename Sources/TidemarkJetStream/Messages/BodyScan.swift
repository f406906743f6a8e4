import CNats

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Finds where JSON values end. It compares 8 or 64 bytes at a time, since every message is scanned.
struct BodyScan {
    private let bytes: UnsafeRawBufferPointer
    private(set) var offset: Int
    private let end: Int

    init(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>) {
        self.bytes = bytes
        offset = range.lowerBound
        end = range.upperBound
    }

    /// True if only white space is left.
    var isAtEnd: Bool {
        mutating get {
            skipSpace()
            return offset == end
        }
    }

    private mutating func skipSpace() {
        while offset < end, BodyScan.isSpace(bytes[offset]) { offset += 1 }
    }

    /// Skips white space and the given byte; false, after the white space, if another byte follows.
    mutating func skips(_ byte: UInt8) -> Bool {
        skipSpace()
        guard offset < end, bytes[offset] == byte else { return false }
        offset += 1
        return true
    }

    /// Skips a string, and returns its range with the quotes; nil when no string follows.
    mutating func string() -> Range<Int>? {
        skipSpace()
        let start = offset
        guard offset < end, bytes[offset] == UInt8(ascii: "\"") else { return nil }
        return skipString() ? start..<offset : nil
    }

    /// Skips a value of any kind, and returns its range; nil when its brackets do not match.
    mutating func value() -> Range<Int>? {
        skipSpace()
        let start = offset
        guard offset < end else { return nil }
        switch bytes[offset] {
        case UInt8(ascii: "\""): return skipString() ? start..<offset : nil
        case UInt8(ascii: "{"), UInt8(ascii: "["): return skipContainer() ? start..<offset : nil
        default:
            while offset < end, !BodyScan.endsScalar(bytes[offset]) { offset += 1 }
            return offset > start ? start..<offset : nil
        }
    }

    private mutating func skipString() -> Bool {
        offset += 1
        while true {
            skipOrdinary { BodyScan.marks($0, UInt8(ascii: "\"")) | BodyScan.marks($0, UInt8(ascii: "\\")) }
            guard offset < end else { break }
            switch bytes[offset] {
            case UInt8(ascii: "\""):
                offset += 1
                return true
            case UInt8(ascii: "\\"): offset += 2
            default: offset += 1
            }
        }
        offset = end
        return false
    }

    private mutating func skipContainer() -> Bool {
        guard let start = bytes.baseAddress else { return false }
        let count = tidemark_container_byte_count(
            start.assumingMemoryBound(to: UInt8.self) + offset, end - offset)
        offset = count == 0 ? end : offset + count
        return count > 0
    }

    /// Skips to the first marked byte, or to the last 7 bytes, which the caller checks one by one.
    ///
    /// - Parameter marked: Returns, for eight bytes, a word with the highest bit of each wanted byte set; above the
    ///   lowest mark other bytes may be marked too.
    @inline(__always)
    private mutating func skipOrdinary(_ marked: (UInt64) -> UInt64) {
        while offset + 8 <= end {
            let word = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
            let marks = marked(word)
            guard marks == 0 else {
                offset += marks.trailingZeroBitCount >> 3
                return
            }
            offset += 8
        }
    }

    /// Returns a word with the highest bit set of each byte that equals `byte`. The lowest mark is exact; marks above
    /// it may be wrong. Without a match there is no mark.
    ///
    /// - Source: Henry S. Warren, Hacker's Delight, second edition, section 6-1.
    @inline(__always)
    private static func marks(_ word: UInt64, _ byte: UInt8) -> UInt64 {
        let different = word ^ (0x0101_0101_0101_0101 &* UInt64(byte))
        return (different &- 0x0101_0101_0101_0101) & ~different & 0x8080_8080_8080_8080
    }

    private static func isSpace(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r")
            || byte == UInt8(ascii: "\t")
    }

    private static func endsScalar(_ byte: UInt8) -> Bool {
        byte <= 0x20 || byte == UInt8(ascii: ",") || byte == UInt8(ascii: "}") || byte == UInt8(ascii: "]")
    }

    /// True if the bytes in the range equal the text.
    static func equals(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>, _ text: StaticString) -> Bool {
        guard range.count == text.utf8CodeUnitCount, let start = bytes.baseAddress else { return range.isEmpty }
        return memcmp(start + range.lowerBound, text.utf8Start, range.count) == 0
    }

    /// Returns the offset of the first LF; nil when there is none.
    static func firstLF(_ bytes: UnsafeRawBufferPointer) -> Int? {
        guard let start = bytes.baseAddress, let found = memchr(start, 0x0A, bytes.count) else { return nil }
        return UnsafeRawPointer(found) - start
    }

    /// True if the bytes begin with the text.
    static func hasPrefix(_ bytes: UnsafeRawBufferPointer, _ text: StaticString) -> Bool {
        bytes.count >= text.utf8CodeUnitCount && equals(bytes, 0..<text.utf8CodeUnitCount, text)
    }
}
