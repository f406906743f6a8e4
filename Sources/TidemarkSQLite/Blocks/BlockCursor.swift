/// Reads integers and lengths from bytes that may be damaged or forged. It never reads past their end.
struct BlockCursor {
    let bytes: UnsafeRawBufferPointer
    private(set) var offset: Int

    init(_ bytes: UnsafeRawBufferPointer, at offset: Int = 0) {
        self.bytes = bytes
        self.offset = offset
    }

    var remainingCount: Int { bytes.count - offset }

    /// Returns the next byte; nil at the end.
    mutating func byte() -> UInt8? {
        guard offset < bytes.count else { return nil }
        defer { offset += 1 }
        return bytes[offset]
    }

    /// Returns a length or count of at most five bytes; nil when there is none.
    mutating func count() -> Int? { PayloadCodec.readVarint(bytes, at: &offset) }

    /// Returns an unsigned integer; nil when the bytes end within it, or it has more than 64 bits.
    mutating func word() -> UInt64? {
        var value: UInt64 = 0
        for shift in stride(from: UInt64(0), to: 70, by: 7) {
            guard let byte = byte() else { return nil }
            if shift == 63, byte > 1 { return nil }
            value |= UInt64(byte & 0x7F) << shift
            if byte & 0x80 == 0 { return value }
        }
        return nil
    }

    /// Returns a signed integer as ``append(signed:to:)`` writes it; nil when there is none.
    mutating func signed() -> Int64? {
        guard let word = word() else { return nil }
        return Int64(bitPattern: word >> 1) ^ -Int64(bitPattern: word & 1)
    }

    mutating func fourBytes() -> UInt32? {
        guard let range = range(4) else { return nil }
        return UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: range.lowerBound, as: UInt32.self))
    }

    /// Skips bytes.
    ///
    /// - Returns: Their range; nil when there are fewer.
    mutating func range(_ count: Int) -> Range<Int>? {
        guard count >= 0, count <= remainingCount else { return nil }
        defer { offset += count }
        return offset..<offset + count
    }

    // MARK: Writing

    static func append(word: UInt64, to bytes: inout [UInt8]) {
        var rest = word
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(truncatingIfNeeded: rest))
    }

    /// Appends a signed integer in zigzag form: small differences in either direction take few bytes.
    static func append(signed value: Int64, to bytes: inout [UInt8]) {
        append(word: UInt64(bitPattern: value << 1 ^ value >> 63), to: &bytes)
    }

    static func append(fourBytes value: UInt32, to bytes: inout [UInt8]) {
        withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
    }
}
