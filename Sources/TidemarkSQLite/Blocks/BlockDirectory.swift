import TidemarkModel
import TidemarkStore

/// The head of a block and the entries of its entities. Reading them unpacks no data.
struct BlockDirectory: Hashable {
    var head: BlockHead
    /// The entries, 1 to 127.
    var entries: [BlockEntry] = []

    /// Checks and parses a directory.
    ///
    /// - Parameters:
    ///   - bytes: The bytes of the block's row, or at least those before the data.
    ///   - number: The number of the row.
    ///   - blockByteCount: The size of the whole row; nil for as many as `bytes`.
    /// - Throws: ``PayloadError``.
    /// - Complexity: O(bytes of head and directory).
    init(_ bytes: UnsafeRawBufferPointer, number: Int64, blockByteCount: Int? = nil) throws(PayloadError) {
        guard bytes.count > BlockCodec.checkByteCount else { throw .truncated }
        let head = try BlockHead(bytes, blockByteCount: blockByteCount)
        guard head.data.lowerBound <= bytes.count else { throw .truncated }
        let stored = UInt32(littleEndian: bytes.loadUnaligned(as: UInt32.self))
        guard stored == BlockDirectory.check(bytes, dataOffset: head.data.lowerBound, number: number) else {
            throw .checksumMismatch
        }
        var cursor = BlockCursor(UnsafeRawBufferPointer(rebasing: bytes[..<head.data.lowerBound]), at: head.byteCount)
        self.init(head: head)
        entries.reserveCapacity(head.count)
        readEntries(&cursor)
        guard entries.count == head.count, cursor.remainingCount == 0,
            entries.last?.data.upperBound == head.unpackedCount
        else { throw .lengthMismatch }
    }

    /// Creates a directory without entries.
    ///
    /// - Parameter head: A head that may be damaged. ``readEntries(_:)`` then parses as many entries as fit.
    init(head: BlockHead) { self.head = head }

    /// Parses entries until the head's count is reached, or bytes follow that are no entry.
    mutating func readEntries(_ cursor: inout BlockCursor) {
        var base = BlockEntry.Base()
        while entries.count < head.count, let entry = BlockEntry(&cursor, after: base) {
            entries.append(entry)
            base.advance(over: entry)
        }
    }

    static func check(_ bytes: UnsafeRawBufferPointer, dataOffset: Int, number: Int64) -> UInt32 {
        let covered = UnsafeRawBufferPointer(rebasing: bytes[BlockCodec.checkByteCount..<dataOffset])
        return UInt32(truncatingIfNeeded: Checksum.xxh64(covered, seed: BlockCodec.seed(number: number)))
    }
}
