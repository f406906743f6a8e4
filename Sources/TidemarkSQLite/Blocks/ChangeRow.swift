import TidemarkModel

/// A row of the table `changes`: 32 bits of the hash of each key in the blocks of one flush. With it, a reader without
/// an index in memory rarely reads the directory of a block that does not have its key.
///
/// ```
/// number   the last block of the row
/// after    the last block before it: the row covers the blocks after + 1 … number
/// body     8 bytes of XXH64; for each entry of the blocks 4 of its key's tag and 2 of its block, number − after − 1
/// ```
/// The check is seeded with both numbers, and with the random number of the file.
///
/// - Source: docs/blocks.md.
struct ChangeRow {
    /// The most blocks that one row covers: 65,536.
    static let blockCountMax = 1 << 16

    private static let checkByteCount = 8
    private static let entryByteCount = 6

    let after: Int64
    private let bytes: [UInt8]

    /// Checks a row; nil for bytes that are damaged or belong to another row. Readers then use the directories instead.
    ///
    /// - Parameter seed: The random number of the file.
    init?(_ bytes: [UInt8], number: Int64, after: Int64, seed: UInt64) {
        guard bytes.count >= ChangeRow.checkByteCount,
            (bytes.count - ChangeRow.checkByteCount).isMultiple(of: ChangeRow.entryByteCount),
            0 <= after, after < number, number <= BlockPlace.numberMax
        else { return nil }
        let check = bytes.withUnsafeBytes { UInt64(littleEndian: $0.loadUnaligned(as: UInt64.self)) }
        guard check == ChangeRow.check(bytes, number, after, seed) else { return nil }
        self.after = after
        self.bytes = bytes
    }

    /// Returns the numbers of the blocks that may have an entry for a key, in no order, perhaps with duplicates.
    ///
    /// - Complexity: O(entries); 1 ns for each.
    func blocks(of hash: KeyHash) -> [Int64] {
        let wanted = ChangeRow.fingerprint(hash)
        var found: [Int64] = []
        bytes.withUnsafeBytes { bytes in
            for start in stride(from: ChangeRow.checkByteCount, to: bytes.count, by: ChangeRow.entryByteCount)
            where UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: start, as: UInt32.self)) == wanted {
                let place = UInt16(littleEndian: bytes.loadUnaligned(fromByteOffset: start + 4, as: UInt16.self))
                found.append(after + 1 + Int64(place))
            }
        }
        return found
    }

    /// Returns the body of a row.
    ///
    /// - Parameter changes: The keys with the numbers of their blocks, from `after` + 1 to `number`.
    /// - Complexity: O(changes).
    static func bytes(
        _ changes: some Sequence<(hash: KeyHash, number: Int64)>, number: Int64, after: Int64, seed: UInt64
    ) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: checkByteCount)
        for change in changes {
            withUnsafeBytes(of: fingerprint(change.hash).littleEndian) { bytes.append(contentsOf: $0) }
            let place = UInt16(truncatingIfNeeded: change.number - after - 1)
            withUnsafeBytes(of: place.littleEndian) { bytes.append(contentsOf: $0) }
        }
        return sealed(bytes, number: number, after: after, seed: seed) ?? bytes
    }

    /// Returns a body with its check in the first bytes; nil when it is too short.
    static func sealed(_ bytes: [UInt8], number: Int64, after: Int64, seed: UInt64) -> [UInt8]? {
        guard bytes.count >= checkByteCount else { return nil }
        var bytes = bytes
        let check = check(bytes, number, after, seed)
        bytes.withUnsafeMutableBytes { $0.storeBytes(of: check.littleEndian, as: UInt64.self) }
        return bytes
    }

    private static func fingerprint(_ hash: KeyHash) -> UInt32 { UInt32(truncatingIfNeeded: hash.tag) }

    private static func check(_ bytes: [UInt8], _ number: Int64, _ after: Int64, _ seed: UInt64) -> UInt64 {
        let numbers = UInt64(bitPattern: number) &* 0x9E37_79B9_7F4A_7C15 ^ UInt64(bitPattern: after)
        return bytes.withUnsafeBytes { bytes in
            Checksum.xxh64(
                UnsafeRawBufferPointer(rebasing: bytes[checkByteCount...]),
                seed: seed ^ numbers &* 0xC2B2_AE3D_27D4_EB4F)
        }
    }
}
