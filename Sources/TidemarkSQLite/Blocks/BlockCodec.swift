/// The format of a block: up to 127 entities of one library and type that are compressed together.
///
/// ```
/// check        4  XXH64 of everything up to the data, low half, little endian; seeded by the block's number
/// header       1  bits 7–5 format (1) · 1–0 codec, see ``PayloadCodec/Codec``
/// ordinal      v  identifies the block in the index while it exists; no other block has it then
/// library      v
/// type         v
/// dictionary   v  codecs 2 and 3: its number; 0 for none with codec 3
/// count        v  1 to 127
/// unpacked     v  bytes that decompress from the data
/// packed       v  bytes of the data: the rest of the block
/// directory       an entry for each entity, see ``BlockEntry``
/// data            fields and payload of each entity, one after the other, compressed together
/// ```
/// `v` is a little-endian base-128 integer. Keys and stamps are not compressed, so that the directory is read without
/// unpacking.
///
/// - Source: docs/blocks.md.
package enum BlockCodec {
    static let formatVersion: UInt8 = 1
    static let checkByteCount = 4
    static let codecMask: UInt8 = 0b11
    /// The bits of the header between format and codec; they are 0.
    static let reservedMask: UInt8 = 0b1_1100

    static let entityCountMax = BlockPlace.positionMax
    /// The most bytes that data unpacks to: one entity with the longest payload and the longest fields.
    static let unpackedByteCountMax = PayloadCodec.payloadByteCountMax + PayloadCodec.fieldsByteCountMax
    /// The most bytes that data of more than one entity unpacks to: 256 KiB. A read of one entity unpacks all.
    static let sharedByteCountMax = 256 << 10
    /// The size of a block whose row fills its share of a leaf, 1,003 bytes, and one overflow page of 8,188; SQLite's
    /// record header takes 5 of them.
    static let fullByteCount = 9_186
    /// How many bytes a predicted size is above ``fullByteCount``. A row that is slightly too large keeps the rest in
    /// its leaf; one that is too small wastes the end of its overflow page.
    static let marginByteCount = 140
    /// The most bytes of a head: the check, the header, and seven integers.
    static let headByteCountMax = checkByteCount + 1 + 7 * 5

    /// Returns the seed of a block's check, so that a block in another block's row counts as damaged.
    static func seed(number: Int64) -> UInt64 { UInt64(bitPattern: number) }
}
