import TidemarkModel

/// The bytes of a segment on the disk: 8 of XXH64, seeded with the segment's index; 4 of the count, little endian; and
/// for each slot in use 8 of its tag and 4 of its place, in the order of the table.
///
/// - Source: docs/decisions/0020-past-memory.md.
extension KeySegment {
    private static let headByteCount = 12
    private static let slotByteCount = 12

    /// - Parameter index: The index of the segment, so that a segment in another's row is damage.
    /// - Complexity: O(count).
    func stored(as index: Int) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 8)
        bytes.reserveCapacity(KeySegment.headByteCount + count * KeySegment.slotByteCount)
        append(UInt32(count), to: &bytes)
        forEach { tag, place in
            append(tag, to: &bytes)
            append(place.bits, to: &bytes)
        }
        let check = KeySegment.check(bytes, index)
        for byte in 0..<8 { bytes[byte] = UInt8(truncatingIfNeeded: check >> UInt64(8 * byte)) }
        return bytes
    }

    /// Reads a segment.
    ///
    /// - Returns: nil for bytes that are damaged, of another segment, or no segment: it is then built again from the
    ///   directories of the blocks.
    /// - Complexity: O(bytes.count).
    init?(stored bytes: [UInt8], as index: Int) {
        guard bytes.count >= KeySegment.headByteCount else { return nil }
        let count = Int(KeySegment.number(bytes, at: 8, byteCount: 4))
        guard bytes.count == KeySegment.headByteCount + count * KeySegment.slotByteCount,
            KeySegment.number(bytes, at: 0, byteCount: 8) == KeySegment.check(bytes, index)
        else { return nil }
        self.init()
        for slot in 0..<count {
            let start = KeySegment.headByteCount + slot * KeySegment.slotByteCount
            let bits = UInt32(truncatingIfNeeded: KeySegment.number(bytes, at: start + 8, byteCount: 4))
            // A forged segment has a check that holds: a tag may be there once, under a place that exists.
            guard let place = BlockPlace(bits: bits),
                set(place, of: KeySegment.number(bytes, at: start, byteCount: 8)) == nil
            else { return nil }
        }
    }

    private static func check(_ bytes: [UInt8], _ index: Int) -> UInt64 {
        bytes.withUnsafeBytes { Checksum.xxh64(UnsafeRawBufferPointer(rebasing: $0[8...]), seed: UInt64(index)) }
    }

    private static func number(_ bytes: [UInt8], at start: Int, byteCount: Int) -> UInt64 {
        (0..<byteCount).reduce(0) { $0 | UInt64(bytes[start + $1]) << UInt64(8 * $1) }
    }

    private func append(_ number: some FixedWidthInteger, to bytes: inout [UInt8]) {
        withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
    }
}
