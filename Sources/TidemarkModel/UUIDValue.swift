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
        guard text.count == UUIDValue.textByteCount else { return nil }
        var halves: (UInt64, UInt64) = (0, 0)
        var digitCount = 0
        for (index, byte) in text.enumerated() {
            if index == 8 || index == 13 || index == 18 || index == 23 {
                guard byte == UInt8(ascii: "-") else { return nil }
                continue
            }
            guard let digit = UUIDValue.hexDigit(byte) else { return nil }
            if digitCount < 16 {
                halves.0 = halves.0 << 4 | digit
            } else {
                halves.1 = halves.1 << 4 | digit
            }
            digitCount += 1
        }
        self.init(high: halves.0, low: halves.1)
    }

    /// The length of the hyphenated form: 36.
    public static let textByteCount = 36

    /// The hyphenated form, in lower case.
    public var text: [UInt8] {
        [UInt8](unsafeUninitializedCapacity: UUIDValue.textByteCount) { buffer, count in
            for digitIndex in 0..<32 {
                if digitIndex == 8 || digitIndex == 12 || digitIndex == 16 || digitIndex == 20 {
                    buffer[count] = UInt8(ascii: "-")
                    count += 1
                }
                let half = digitIndex < 16 ? high : low
                let digit = UInt8(truncatingIfNeeded: half >> UInt64(60 - (digitIndex % 16) * 4)) & 0xF
                buffer[count] = digit < 10 ? digit + UInt8(ascii: "0") : digit - 10 + UInt8(ascii: "a")
                count += 1
            }
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

    private static func hexDigit(_ byte: UInt8) -> UInt64? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt64(byte - UInt8(ascii: "0"))
        case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt64(byte - UInt8(ascii: "a") + 10)
        case UInt8(ascii: "A")...UInt8(ascii: "F"): UInt64(byte - UInt8(ascii: "A") + 10)
        default: nil
        }
    }
}
