import TidemarkModel

/// A segment of the index as stored: 8 bytes of XXH64; 4 of the count, little endian; and for each key 8 of its tag and
/// 6 of its place, in the order of the table. A place is the number of a block, then 7 bits of the position, so that a
/// reader needs only the segment to find an entity.
///
/// The check is seeded with the segment's index, with the last block that it includes, and with the random number of
/// the file, without which tags mean nothing.
///
/// - Source: docs/blocks.md.
struct StoredSegment {
    private static let headByteCount = 12
    private static let slotByteCount = 14

    private let bytes: [UInt8]
    /// The number of keys.
    let count: Int

    /// Checks a segment; nil for bytes that are damaged or belong to another segment. It is then rebuilt from the
    /// directories of the blocks.
    ///
    /// - Parameters:
    ///   - index: The index of the segment, so that a segment in another one's row counts as damaged.
    ///   - seed: The result of ``seed(of:through:)``.
    init?(_ bytes: [UInt8], as index: Int, seed: UInt64) {
        guard bytes.count >= StoredSegment.headByteCount else { return nil }
        let count = Int(StoredSegment.number(bytes, at: 8, byteCount: 4))
        guard bytes.count == StoredSegment.headByteCount + count * StoredSegment.slotByteCount,
            StoredSegment.number(bytes, at: 0, byteCount: 8) == StoredSegment.check(bytes, index, seed)
        else { return nil }
        self.bytes = bytes
        self.count = count
    }

    /// Returns the part of a check's seed that does not depend on the segment.
    ///
    /// - Parameters:
    ///   - file: The random number of the file.
    ///   - through: The last block that the segment includes.
    static func seed(of file: UInt64, through: Int64) -> UInt64 {
        file ^ UInt64(bitPattern: through) &* 0xC2B2_AE3D_27D4_EB4F
    }

    /// Calls a closure with the tag, the block number and the position of each key.
    func forEach(_ body: (_ tag: UInt64, _ number: Int64, _ position: Int) throws -> Void) rethrows {
        try bytes.withUnsafeBytes { bytes in
            for slot in 0..<count {
                let start = StoredSegment.headByteCount + slot * StoredSegment.slotByteCount
                let tag = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: start, as: UInt64.self))
                let low = UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: start + 8, as: UInt32.self))
                let high = UInt16(littleEndian: bytes.loadUnaligned(fromByteOffset: start + 12, as: UInt16.self))
                let place = UInt64(high) << 32 | UInt64(low)
                try body(
                    tag, Int64(place >> UInt64(BlockPlace.positionBitCount)), Int(place) & BlockPlace.positionMax)
            }
        }
    }

    /// Encodes a segment.
    ///
    /// - Parameter number: Returns the number of the block with an ordinal.
    /// - Complexity: O(count).
    static func bytes(_ segment: KeySegment, as index: Int, seed: UInt64, number: (Int) -> Int64) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 8)
        bytes.reserveCapacity(headByteCount + segment.count * slotByteCount)
        append(UInt64(segment.count), byteCount: 4, to: &bytes)
        segment.forEach { tag, place in
            append(tag, byteCount: 8, to: &bytes)
            let bits = UInt64(number(place.ordinal)) << UInt64(BlockPlace.positionBitCount) | UInt64(place.position)
            append(bits, byteCount: 6, to: &bytes)
        }
        return sealed(bytes, as: index, seed: seed) ?? bytes
    }

    /// Returns a segment with its check in the first bytes; nil when it is too short.
    static func sealed(_ bytes: [UInt8], as index: Int, seed: UInt64) -> [UInt8]? {
        guard bytes.count >= headByteCount else { return nil }
        var bytes = bytes
        let check = check(bytes, index, seed)
        for byte in 0..<8 { bytes[byte] = UInt8(truncatingIfNeeded: check >> UInt64(8 * byte)) }
        return bytes
    }

    private static func check(_ bytes: [UInt8], _ index: Int, _ seed: UInt64) -> UInt64 {
        bytes.withUnsafeBytes { bytes in
            Checksum.xxh64(
                UnsafeRawBufferPointer(rebasing: bytes[8...]),
                seed: UInt64(bitPattern: Int64(index)) ^ seed &* 0x9E37_79B1_85EB_CA87)
        }
    }

    private static func number(_ bytes: [UInt8], at start: Int, byteCount: Int) -> UInt64 {
        bytes.withUnsafeBytes { bytes in
            if byteCount == 8 {
                return UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: start, as: UInt64.self))
            }
            return (0..<byteCount).reduce(0) { $0 | UInt64(bytes[start + $1]) << UInt64(8 * $1) }
        }
    }

    private static func append(_ number: UInt64, byteCount: Int, to bytes: inout [UInt8]) {
        withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0[..<byteCount]) }
    }
}
