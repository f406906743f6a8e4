/// The 128 bits of a UUID in the order of its text, so that values sort as their texts do.
public struct UUIDValue: Hashable, Sendable {
    /// The first 64 bits.
    public var high: UInt64
    /// The last 64 bits.
    public var low: UInt64

    /// Makes a UUID of its two halves.
    @inlinable
    public init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// Parses the hyphenated form of 36 characters, in either case.
    ///
    /// - Returns: nil for anything else. Keys do not accept braces, `urn:uuid:` and the form without hyphens.
    public init?(text: UnsafeRawBufferPointer) {
        let hyphen = UInt8(ascii: "-")
        guard text.count == UUIDValue.textByteCount, text[8] == hyphen, text[13] == hyphen, text[18] == hyphen,
            text[23] == hyphen
        else { return nil }
        func digits(_ first: Int, _ second: Int) -> UInt64? {
            HexDigits.value(
                UInt64(UInt32(bigEndian: text.loadUnaligned(fromByteOffset: first, as: UInt32.self))) << 32
                    | UInt64(UInt32(bigEndian: text.loadUnaligned(fromByteOffset: second, as: UInt32.self))))
        }
        guard let first = digits(0, 4), let second = digits(9, 14), let third = digits(19, 24),
            let fourth = digits(28, 32)
        else { return nil }
        self.init(high: first << 32 | second, low: third << 32 | fourth)
    }

    /// The length of the hyphenated form: 36.
    public static let textByteCount = 36

    /// The hyphenated form, in lower case.
    public var text: [UInt8] {
        [UInt8](unsafeUninitializedCapacity: UUIDValue.textByteCount) { buffer, count in
            let bytes = UnsafeMutableRawBufferPointer(buffer)
            func store(_ digits: UInt64, _ first: Int, _ second: Int) {
                bytes.storeBytes(
                    of: UInt32(truncatingIfNeeded: digits >> 32).bigEndian, toByteOffset: first, as: UInt32.self)
                bytes.storeBytes(
                    of: UInt32(truncatingIfNeeded: digits).bigEndian, toByteOffset: second, as: UInt32.self)
            }
            store(HexDigits.text(high >> 32), 0, 4)
            store(HexDigits.text(high & 0xFFFF_FFFF), 9, 14)
            store(HexDigits.text(low >> 32), 19, 24)
            store(HexDigits.text(low & 0xFFFF_FFFF), 28, 32)
            for offset in [8, 13, 18, 23] { buffer[offset] = UInt8(ascii: "-") }
            count = UUIDValue.textByteCount
        }
    }

    /// The 16 bytes in text order, as a data file stores them.
    public var bytes: [UInt8] { withBytes { Array($0) } }

    /// Lends the 16 bytes in text order.
    package func withBytes<Result, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try withUnsafeBytes(of: (high.bigEndian, low.bigEndian), body)
    }

    /// Makes a UUID of 16 bytes in text order.
    ///
    /// - Returns: nil for another number of bytes.
    public init?(bytes: UnsafeRawBufferPointer) {
        guard bytes.count == 16 else { return nil }
        self.init(
            high: UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 0, as: UInt64.self)),
            low: UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self)))
    }
}

/// Eight hexadecimal digits at once, one in each byte of a word, the first one in the highest byte.
private enum HexDigits {
    private static let ones: UInt64 = 0x0101_0101_0101_0101
    private static let highBits = ones << 7
    private static let lowNibbles = ones &* 0x0F

    /// Returns the number that eight digits stand for, in either case; nil if one of them is no digit.
    @inline(__always)
    static func value(_ text: UInt64) -> UInt64? {
        // A sum of two bytes below 0x80 has its high bit set from 0x80 on, and carries nothing into the next byte.
        let lower = text | ones &* 0x20
        let isDecimal = (text &+ ones &* (0x80 - 0x30)) & ~(text &+ ones &* (0x80 - 0x3A))
        let isLetter = (lower &+ ones &* (0x80 - 0x61)) & ~(lower &+ ones &* (0x80 - 0x67))
        guard text & highBits == 0, (isDecimal | isLetter) & highBits == highBits else { return nil }
        var value = (text & lowNibbles) &+ ((isLetter & highBits) >> 7) &* 9
        value = (value | value >> 4) & 0x00FF_00FF_00FF_00FF
        value = (value | value >> 8) & 0x0000_FFFF_0000_FFFF
        return (value | value >> 16) & 0xFFFF_FFFF
    }

    /// Returns the eight digits of a number below 2³², in lower case.
    @inline(__always)
    static func text(_ number: UInt64) -> UInt64 {
        var digits = (number | number << 16) & 0x0000_FFFF_0000_FFFF
        digits = (digits | digits << 8) & 0x00FF_00FF_00FF_00FF
        digits = (digits | digits << 4) & lowNibbles
        let isLetter = ((digits &+ ones &* 6) >> 4) & ones
        return digits &+ ones &* 0x30 &+ isLetter &* 39
    }
}
