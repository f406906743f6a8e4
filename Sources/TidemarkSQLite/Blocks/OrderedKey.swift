import TidemarkModel
import TidemarkStore

/// Encodes keys as bytes that sort like the keys: by library, by type, texts before UUIDs, and by the bytes of the id.
///
/// ```
/// library  2  big endian
/// type     2  big endian
/// kind     1  0 text · 1 UUID
/// id          the text, or 16 bytes
/// ```
enum OrderedKey {
    private static let headByteCount = 5

    static func append(_ key: StoredKey, to bytes: inout [UInt8]) {
        for number in [key.library.rawValue, key.type.rawValue] {
            bytes.append(UInt8(number >> 8))
            bytes.append(UInt8(number & 0xFF))
        }
        bytes.append(key.id.isUUID ? 1 : 0)
        key.id.withBytes { bytes.append(contentsOf: $0) }
    }

    static func bytes(of key: StoredKey) -> [UInt8] {
        var bytes: [UInt8] = []
        append(key, to: &bytes)
        return bytes
    }

    /// Returns bytes that sort before every UUID at or above a bound, and after all UUIDs below it.
    ///
    /// - Parameter bound: The first bytes of UUIDs. A bound of more than 16 bytes is above all UUIDs.
    static func bytes(beforeUUID bound: [UInt8], library: LibraryIndex, type: TypeIndex) -> [UInt8] {
        var bytes: [UInt8] = []
        append(StoredKey(library: library, type: type, id: .uuid(UUIDValue(high: 0, low: 0))), to: &bytes)
        bytes.removeLast(16)
        guard bound.contains(where: { $0 != 0 }) else { return bytes }
        // One less than the bound, in 16 bytes or as many as it has.
        var before = bound + Array(repeating: 0, count: max(0, 16 - bound.count))
        var index = before.count - 1
        while before[index] == 0 {
            before[index] = 0xFF
            index -= 1
        }
        before[index] -= 1
        return bytes + before
    }

    /// Decodes a key; nil for bytes that are no key.
    static func key(_ bytes: UnsafeRawBufferPointer) -> StoredKey? {
        guard bytes.count >= headByteCount else { return nil }
        let id = UnsafeRawBufferPointer(rebasing: bytes[headByteCount...])
        let stored: StoredID
        switch bytes[4] {
        case 0: stored = .text(ByteString(id))
        case 1:
            guard let uuid = UUIDValue(bytes: id) else { return nil }
            stored = .uuid(uuid)
        default: return nil
        }
        return StoredKey(
            library: LibraryIndex(rawValue: UInt16(bytes[0]) << 8 | UInt16(bytes[1])),
            type: TypeIndex(rawValue: UInt16(bytes[2]) << 8 | UInt16(bytes[3])), id: stored)
    }

    /// Returns true if the first key sorts before the second.
    static func precedes(_ first: UnsafeRawBufferPointer, _ second: UnsafeRawBufferPointer) -> Bool {
        let order = memcmp(first, second)
        return order != 0 ? order < 0 : first.count < second.count
    }

    static func isEqual(_ first: UnsafeRawBufferPointer, _ second: UnsafeRawBufferPointer) -> Bool {
        first.count == second.count && memcmp(first, second) == 0
    }

    /// Compares the common length of both, and returns -1, 0 or 1.
    private static func memcmp(_ first: UnsafeRawBufferPointer, _ second: UnsafeRawBufferPointer) -> Int {
        let count = min(first.count, second.count)
        var offset = 0
        // Neighbours in a run share their beginning, so words are compared first.
        while offset + 8 <= count {
            let left = UInt64(bigEndian: first.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
            let right = UInt64(bigEndian: second.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
            if left != right { return left < right ? -1 : 1 }
            offset += 8
        }
        while offset < count {
            if first[offset] != second[offset] { return first[offset] < second[offset] ? -1 : 1 }
            offset += 1
        }
        return 0
    }
}
