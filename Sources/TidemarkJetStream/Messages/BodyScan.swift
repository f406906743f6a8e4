#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A scan over JSON that finds where values end. It looks at eight bytes at once: each message is scanned once.
struct BodyScan {
    private let bytes: UnsafeRawBufferPointer
    private(set) var offset: Int
    private let end: Int

    init(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>) {
        self.bytes = bytes
        offset = range.lowerBound
        end = range.upperBound
    }

    /// Whether only white space is left.
    var isAtEnd: Bool {
        mutating get {
            skipSpace()
            return offset == end
        }
    }

    private mutating func skipSpace() {
        while offset < end, BodyScan.isSpace(bytes[offset]) { offset += 1 }
    }

    /// Passes one byte, after white space; false when another one comes.
    mutating func skips(_ byte: UInt8) -> Bool {
        skipSpace()
        guard offset < end, bytes[offset] == byte else { return false }
        offset += 1
        return true
    }

    /// Passes a string, and returns its place with the quotes; nil when none comes.
    mutating func string() -> Range<Int>? {
        skipSpace()
        let start = offset
        guard offset < end, bytes[offset] == UInt8(ascii: "\"") else { return nil }
        return skipString() ? start..<offset : nil
    }

    /// Passes a value of any kind, and returns its place; nil when its brackets do not match.
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
        var depth = 0
        while true {
            skipOrdinary {
                // With this bit a square bracket is the curly one, and no other byte becomes one of them.
                let folded = $0 | 0x2020_2020_2020_2020
                return BodyScan.marks($0, UInt8(ascii: "\"")) | BodyScan.marks(folded, UInt8(ascii: "{"))
                    | BodyScan.marks(folded, UInt8(ascii: "}"))
            }
            guard offset < end else { return false }
            switch bytes[offset] {
            case UInt8(ascii: "\""):
                guard skipString() else { return false }
                continue
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                depth -= 1
                if depth == 0 {
                    offset += 1
                    return true
                }
            default: break
            }
            offset += 1
        }
    }

    /// Goes on to the first byte that is marked, or near the end, where single bytes are looked at.
    ///
    /// - Parameter marked: Returns eight bytes with the highest bit of each wanted one; above the lowest mark others
    ///   may be marked too.
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

    /// Returns eight bytes with the highest bit of those that are `byte`; the lowest mark is right, and there is none
    /// where no byte is.
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

    /// Whether a part of some bytes is a text.
    static func equals(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>, _ text: StaticString) -> Bool {
        guard range.count == text.utf8CodeUnitCount, let start = bytes.baseAddress else { return range.isEmpty }
        return memcmp(start + range.lowerBound, text.utf8Start, range.count) == 0
    }

    /// The place of the first LF; nil where there is none.
    static func firstLF(_ bytes: UnsafeRawBufferPointer) -> Int? {
        guard let start = bytes.baseAddress, let found = memchr(start, 0x0A, bytes.count) else { return nil }
        return UnsafeRawPointer(found) - start
    }

    /// Whether bytes begin with a text.
    static func hasPrefix(_ bytes: UnsafeRawBufferPointer, _ text: StaticString) -> Bool {
        bytes.count >= text.utf8CodeUnitCount && equals(bytes, 0..<text.utf8CodeUnitCount, text)
    }
}
