import TidemarkModel
import TidemarkStore

/// The parsed first bytes of a block. They are not checked; ``BlockDirectory`` checks them.
struct BlockHead: Hashable {
    var codec: PayloadCodec.Codec
    var ordinal: Int
    var library: LibraryIndex
    var type: TypeIndex
    /// The number of the dictionary; nil for none.
    var dictionary: Int64?
    var count: Int
    var unpackedCount: Int
    /// The range of the data in the block's bytes.
    var data: Range<Int>
    /// The size of the head, including its check.
    var byteCount: Int

    /// Parses a head.
    ///
    /// - Parameters:
    ///   - bytes: The whole row, or more than ``BlockCodec/headByteCountMax`` bytes of it.
    ///   - blockByteCount: The size of the whole row; nil for as many as `bytes`.
    /// - Throws: ``PayloadError`` for a head that no block can have.
    init(_ bytes: UnsafeRawBufferPointer, blockByteCount: Int? = nil) throws(PayloadError) {
        var cursor = BlockCursor(bytes, at: BlockCodec.checkByteCount)
        guard let header = cursor.byte() else { throw .truncated }
        guard header >> 5 == BlockCodec.formatVersion, header & BlockCodec.reservedMask == 0,
            let codec = PayloadCodec.Codec(rawValue: header & BlockCodec.codecMask)
        else { throw .unknownFormat }
        guard let ordinal = cursor.count(), let library = cursor.count(), let type = cursor.count() else {
            throw .truncated
        }
        if codec.namesDictionary {
            guard let number = cursor.count() else { throw .truncated }
            if codec != .deflate || number != 0 { dictionary = Int64(number) }
        }
        guard let count = cursor.count(), let unpackedCount = cursor.count(), let packedCount = cursor.count() else {
            throw .truncated
        }
        guard 1...BlockPlace.ordinalMax ~= ordinal, let library = LibraryIndex(exactly: Int64(library)),
            let type = TypeIndex(exactly: Int64(type)), 1...BlockCodec.entityCountMax ~= count
        else { throw .unknownFormat }
        guard unpackedCount <= BlockCodec.unpackedByteCountMax,
            count == 1 || unpackedCount <= BlockCodec.sharedByteCountMax
        else { throw .tooLarge }
        let dataStart = (blockByteCount ?? bytes.count) - packedCount
        guard dataStart >= cursor.offset, codec != .raw || packedCount == unpackedCount else { throw .lengthMismatch }
        self.codec = codec
        self.ordinal = ordinal
        self.library = library
        self.type = type
        self.count = count
        self.unpackedCount = unpackedCount
        data = dataStart..<dataStart + packedCount
        byteCount = cursor.offset
    }
}
