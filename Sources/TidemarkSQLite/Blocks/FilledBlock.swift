import TidemarkModel
import TidemarkStore

/// The entities of a block before its data is compressed.
struct FilledBlock {
    var number: Int64
    var ordinal: Int
    var library: LibraryIndex
    var type: TypeIndex
    /// The dictionary of the type; nil for none.
    var dictionary: PayloadDictionary?
    /// The number of entities, including removals.
    var count: Int
    var removalCount: Int
    var directory: [UInt8]
    /// Fields and payloads, not compressed.
    var data: [UInt8]

    /// Compresses the data, and returns the bytes of the row.
    ///
    /// - Complexity: O(data.count).
    func packed(by packer: BlockPacker) -> BuiltBlock {
        let packed = packer.pack(data, dictionary: dictionary)
        var bytes: [UInt8] = [0, 0, 0, 0]
        bytes.reserveCapacity(BlockCodec.headByteCountMax + directory.count + packed.bytes.count)
        bytes.append(BlockCodec.formatVersion << 5 | packed.codec.rawValue)
        PayloadCodec.append(ordinal, to: &bytes)
        PayloadCodec.append(Int(library), to: &bytes)
        PayloadCodec.append(Int(type), to: &bytes)
        if packed.codec.namesDictionary {
            BlockCursor.append(word: UInt64(dictionary?.number ?? 0), to: &bytes)
        }
        PayloadCodec.append(count, to: &bytes)
        PayloadCodec.append(data.count, to: &bytes)
        PayloadCodec.append(packed.bytes.count, to: &bytes)
        bytes += directory
        let dataOffset = bytes.count
        bytes.append(contentsOf: packed.bytes)
        bytes.withUnsafeMutableBytes { bytes in
            let check = BlockDirectory.check(UnsafeRawBufferPointer(bytes), dataOffset: dataOffset, number: number)
            bytes.storeBytes(of: check.littleEndian, as: UInt32.self)
        }
        return BuiltBlock(
            number: number, ordinal: ordinal, library: library, type: type, bytes: bytes, count: count,
            removalCount: removalCount, dataByteCount: data.count, packedByteCount: bytes.count - dataOffset)
    }
}

/// A block with the bytes of its row, which are not written yet.
struct BuiltBlock: Sendable {
    var number: Int64
    var ordinal: Int
    var library: LibraryIndex
    var type: TypeIndex
    /// The bytes of the row.
    var bytes: [UInt8]
    /// The number of entities, including removals.
    var count: Int
    var removalCount: Int
    /// The size of the data before compression.
    var dataByteCount: Int
    /// The size of the compressed data.
    var packedByteCount: Int
}
