import TidemarkModel
import TidemarkStore

/// The format of an entity's payload in its row.
///
/// ```
/// check      4  XXH64 of everything after it, low half, little endian; seeded by key and stamps
/// header     1  bits 7–5 format (1, 2 with fields, 3 reduced) · 4 padded · 3 id left out · 2 bare block · 1–0 codec
/// fields     v  formats 2 and 3: bytes of the fields
/// dictionary v  codecs 2 and 3: its number; 0 for none with codec 3
/// length     v  unless codec 0: bytes that decompress from the data
/// id offset  v  when the id is left out: its offset in the payload
/// data
/// fields        formats 2 and 3: the store's data about writes of single fields
/// padding    4  zeros, when padded
/// ```
/// `v` is a little-endian base-128 integer. Half of the checksum is kept: one damaged row in four thousand million
/// passes the check, and four more bytes would cost 1 % of a file of small entities.
///
/// - Source: docs/data-file.md.
enum PayloadCodec {
    /// The format of a body without fields; it is the same in every version of the file.
    static let formatVersion: UInt8 = 1
    /// The format of a body with fields, from version 2 of the file on.
    static let fieldsFormatVersion: UInt8 = 2
    /// The format of a body with fields, for an evicted entity of which only the fields that stay are left.
    static let reducedFormatVersion: UInt8 = 3

    /// Returns true if a body belongs to an entity that was evicted except for the fields that stay.
    ///
    /// - Parameter header: The header byte; empty when there is no body.
    static func isReduced(header: UnsafeRawBufferPointer) -> Bool {
        header.first.map { $0 >> 5 } == reducedFormatVersion
    }

    static let checkByteCount = 4
    /// The padding of a new row, which lets its page accept later, slightly longer versions without a split. Measured
    /// with five updates an entity: the file is 10 % larger without padding.
    static let paddingByteCount = 4

    /// The most bytes that a payload may declare: 16 MiB, the longest line.
    static let payloadByteCountMax = Limits.entityByteCountCeiling
    /// The most bytes of the fields beside a payload: 16 MiB, too. The store drops dates rather than exceed it.
    static let fieldsByteCountMax = FieldStamps.encodedByteCountMax
    /// The largest window that a frame may need: 2^23 bytes.
    static let windowByteCountMax = 1 << 23
    /// The largest content of a compressed block, fixed by zstd.
    static let blockByteCountMax = 128 << 10
    /// The shortest id that is left out of the payload. For a shorter one, its offset would cost as much as the id.
    static let elidedIDByteCountMin = 6
    /// The shortest payload that is compressed. For a shorter one, the call is not worth its cost.
    static let compressedByteCountMin = 16

    static let paddedFlag: UInt8 = 1 << 4
    static let elidedFlag: UInt8 = 1 << 3
    static let bareFlag: UInt8 = 1 << 2
    static let codecMask: UInt8 = 0b11
    /// All bits of the header except the format.
    static let flagsMask: UInt8 = 0b1_1111

    /// How the data of a body is compressed.
    enum Codec: UInt8 {
        /// Not compressed.
        case raw = 0
        /// Compressed without a dictionary.
        case zstd = 1
        /// Compressed with the dictionary of the type.
        case zstdWithDictionary = 2
        /// Raw deflate, with the last 32 KiB of the type's dictionary or without one.
        case deflate = 3

        /// True if the number of a dictionary follows in the head.
        var namesDictionary: Bool { self == .zstdWithDictionary || self == .deflate }
    }

    /// Writes the header of a zstd frame without magic number and with one compressed block. A bare payload is stored
    /// without this header, because it follows from the two lengths.
    ///
    /// - Returns: The number of bytes written, at most 8.
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

    /// Writes an integer, and returns the number of bytes written, at most 10.
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

    /// Appends a length or count, which must not be negative.
    static func append(_ value: Int, to bytes: inout [UInt8]) {
        var rest = value
        while rest >= 0x80 {
            bytes.append(UInt8(rest & 0x7F) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }

    /// Reads an integer; nil when the bytes end within it, or it is longer than five bytes.
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
