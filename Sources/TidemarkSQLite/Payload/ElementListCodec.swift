import TidemarkModel
import TidemarkStore

/// Encodes and decodes the list of a query, as its row stores it.
///
/// ```
/// header     1  bits 7–4 format (1) · 0 elements have sort keys
/// count      v  elements
/// elements      each: 0 and the 16 bytes of a UUID, or v with the length of a text plus 1, and the text;
///               then, when they have sort keys, v with the length of one, and the key
/// ```
/// `v` is a little-endian base-128 integer of at most five bytes. A list of UUIDs without sort keys takes 17 bytes an
/// element. The row's checksum covers it. Decoding is bounded nevertheless, because a file can be forged.
///
/// - Source: docs/data-file.md.
package enum ElementListCodec {
    /// The most bytes of an encoded list: 256 MiB, which is 15 million UUIDs. SQLite's own limit is four times as much.
    static let byteCountMax = QueryRecord.listByteCountMax

    private static let formatVersion: UInt8 = 1
    private static let sortKeysFlag: UInt8 = 1
    private static let uuidByteCount = 16

    /// Encodes a list.
    ///
    /// - Parameter elements: The elements in list order.
    /// - Complexity: O(bytes).
    package static func encode(_ elements: [QueryElement]) -> [UInt8] {
        let hasSortKeys = elements.contains { !$0.sortKey.isEmpty }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(6 + elements.count * 17)
        bytes.append(formatVersion << 4 | (hasSortKeys ? sortKeysFlag : 0))
        PayloadCodec.append(elements.count, to: &bytes)
        for element in elements {
            switch element.id {
            case .uuid(let value):
                PayloadCodec.append(0, to: &bytes)
                bytes += value.bytes
            case .text(let text):
                PayloadCodec.append(text.bytes.count + 1, to: &bytes)
                bytes += text.bytes
            }
            guard hasSortKeys else { continue }
            PayloadCodec.append(element.sortKey.count, to: &bytes)
            bytes += element.sortKey
        }
        // No input reaches it: the state keeps a longer list in memory only.
        precondition(bytes.count <= byteCountMax, "a list has at most \(byteCountMax) bytes, not \(bytes.count)")
        return bytes
    }

    /// Decodes a list.
    ///
    /// - Parameter bytes: Any bytes. Declared counts are compared with the available bytes before memory is allocated.
    /// - Throws: ``PayloadError`` `.truncated`, `.unknownFormat`, `.tooLarge` or `.lengthMismatch`.
    /// - Complexity: O(bytes).
    package static func decode(_ bytes: UnsafeRawBufferPointer) throws(PayloadError) -> [QueryElement] {
        guard bytes.count <= byteCountMax else { throw .tooLarge }
        guard let header = bytes.first else { throw .truncated }
        guard header >> 4 == formatVersion, header & 0xF & ~sortKeysFlag == 0 else { throw .unknownFormat }
        let hasSortKeys = header & sortKeysFlag != 0
        var offset = 1
        guard let count = PayloadCodec.readVarint(bytes, at: &offset) else { throw .truncated }
        // Every element takes at least one byte.
        guard count <= bytes.count - offset else { throw .lengthMismatch }
        var elements: [QueryElement] = []
        elements.reserveCapacity(count)
        for _ in 0..<count {
            let id = try id(bytes, at: &offset)
            elements.append(
                QueryElement(id: id, sortKey: hasSortKeys ? Array(try run(bytes, at: &offset, less: 0)) : []))
        }
        guard offset == bytes.count else { throw .lengthMismatch }
        return elements
    }

    private static func id(_ bytes: UnsafeRawBufferPointer, at offset: inout Int) throws(PayloadError) -> StoredID {
        guard offset < bytes.count else { throw .truncated }
        guard bytes[offset] == 0 else { return .text(ByteString(try run(bytes, at: &offset, less: 1))) }
        let end = offset + 1 + uuidByteCount
        guard end <= bytes.count,
            let value = UUIDValue(bytes: UnsafeRawBufferPointer(rebasing: bytes[offset + 1..<end]))
        else { throw .truncated }
        offset = end
        return .uuid(value)
    }

    /// Reads a length and the bytes after it. The stored length is the number of bytes plus `less`.
    private static func run(
        _ bytes: UnsafeRawBufferPointer, at offset: inout Int, less: Int
    ) throws(PayloadError) -> UnsafeRawBufferPointer {
        guard let written = PayloadCodec.readVarint(bytes, at: &offset) else { throw .truncated }
        let count = written - less
        guard count >= 0, count <= bytes.count - offset else { throw .truncated }
        defer { offset += count }
        return UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + count])
    }
}
