import TidemarkModel
import TidemarkStore

/// The form in which an entity's payload lies in a row.
///
/// ```
/// check      4  XXH64 of everything after it, low half, little endian; seeded by key and stamps
/// header     1  bits 7–5 format (1, 2 with fields, 3 reduced) · 4 padded · 3 id left out · 2 bare block · 1–0 codec
/// fields     v  formats 2 and 3: bytes of the fields
/// dictionary v  codec 2 only: its number
/// length     v  codecs 1 and 2: bytes that decompress from the data
/// id offset  v  when the id is left out: where it stands in the payload
/// data
/// fields        formats 2 and 3: what the store keeps of single fields' writes
/// padding    4  zeros, when padded
/// ```
/// `v` is a little-endian base-128 integer. Half of the checksum is kept: a damaged row passes one time
/// in four thousand million, and four bytes more would cost 1 % of a file of small entities.
///
/// - Source: docs/data-file.md.
enum PayloadCodec {
    /// A body without fields; the same in every version of the file.
    static let formatVersion: UInt8 = 1
    /// A body with fields, from version 2 of the file on.
    static let fieldsFormatVersion: UInt8 = 2
    /// A body with fields, of an entity of which only the fields that stay are left.
    static let reducedFormatVersion: UInt8 = 3

    /// - Parameter header: One byte; empty where there is none.
    static func isReduced(header: UnsafeRawBufferPointer) -> Bool {
        header.first.map { $0 >> 5 } == reducedFormatVersion
    }

    static let checkByteCount = 4
    /// A new row gets so much room that its page can take later, slightly longer versions without a
    /// split. Measured with five updates an entity: the file is 10 % larger without it.
    static let paddingByteCount = 4

    /// What a payload may declare: 16 MiB, the longest line.
    static let payloadByteCountMax = Limits.entityByteCountCeiling
    /// What the fields beside a payload may take: 16 MiB, too. The store keeps fewer dates rather than more than that.
    static let fieldsByteCountMax = FieldStamps.encodedByteCountMax
    /// The largest window a frame may ask for: 2^23.
    static let windowByteCountMax = 1 << 23
    /// A compressed block's largest content, fixed by zstd.
    static let blockByteCountMax = 128 << 10
    /// An id shorter than this stays in the payload; to say where it stood costs as much.
    static let elidedIDByteCountMin = 6
    /// Payloads shorter than this are not worth the call.
    static let compressedByteCountMin = 16

    static let paddedFlag: UInt8 = 1 << 4
    static let elidedFlag: UInt8 = 1 << 3
    static let bareFlag: UInt8 = 1 << 2
    static let codecMask: UInt8 = 0b11
    /// All of the header but the format.
    static let flagsMask: UInt8 = 0b1_1111

    enum Codec: UInt8 {
        case raw = 0
        case zstd = 1
        case zstdWithDictionary = 2
    }

    /// The header of a magicless zstd frame with one compressed block, which a bare payload leaves out:
    /// it follows from the two lengths.
    ///
    /// - Returns: How many bytes were written, at most 8.
    static func writeFrameHeader(
        contentByteCount: Int, blockByteCount: Int, into target: UnsafeMutablePointer<UInt8>
    ) -> Int {
        var count = 1
        if contentByteCount < 256 {
            target[0] = 0x20
            target[1] = UInt8(contentByteCount)
            count = 2
        } else if contentByteCount < 65_536 + 256 {
            target[0] = 0x60
            let value = contentByteCount - 256
            target[1] = UInt8(value & 0xFF)
            target[2] = UInt8(value >> 8)
            count = 3
        } else {
            target[0] = 0xA0
            for index in 0..<4 { target[1 + index] = UInt8(contentByteCount >> (8 * index) & 0xFF) }
            count = 5
        }
        let block = blockByteCount << 3 | 0b101
        for index in 0..<3 { target[count + index] = UInt8(block >> (8 * index) & 0xFF) }
        return count + 3
    }

    /// - Returns: How many bytes were written, at most 10.
    @inline(__always)
    static func writeVarint(_ value: UInt64, into target: UnsafeMutablePointer<UInt8>) -> Int {
        var rest = value
        var count = 0
        while rest >= 0x80 {
            target[count] = UInt8(truncatingIfNeeded: rest) | 0x80
            rest >>= 7
            count += 1
        }
        target[count] = UInt8(truncatingIfNeeded: rest)
        return count + 1
    }

    /// Appends a length or count, which is not negative.
    static func append(_ value: Int, to bytes: inout [UInt8]) {
        var rest = value
        while rest >= 0x80 {
            bytes.append(UInt8(rest & 0x7F) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }

    /// - Returns: nil when the bytes end within the number, or it is longer than five bytes.
    static func readVarint(_ bytes: UnsafeRawBufferPointer, at offset: inout Int) -> Int? {
        var value: UInt64 = 0
        for index in 0..<5 {
            guard offset < bytes.count else { return nil }
            let byte = bytes[offset]
            offset += 1
            value |= UInt64(byte & 0x7F) << (7 * UInt64(index))
            if byte & 0x80 == 0 { return Int(value) }
        }
        return nil
    }
}
