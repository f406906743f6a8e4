/// The sizes of the memory blocks that hold payloads.
///
/// Up to 1 KiB, sizes differ by 4 bytes, so that rounding wastes next to nothing; then there are eight sizes for each
/// doubling, up to 32 KiB. A longer payload gets a block of exactly its own size.
enum BlockSize {
    /// The number of size classes. This index itself is the class of all longer blocks.
    static let classCount = 256 + 8 * 5
    private static let byteCountMax = 32 << 10

    @inline(__always)
    static func classIndex(of byteCount: Int) -> Int {
        if byteCount <= 1_024 { return max(0, byteCount - 1) >> 2 }
        if byteCount > byteCountMax { return classCount }
        let last = byteCount - 1
        let doubling = Int.bitWidth - 1 - last.leadingZeroBitCount
        return 256 + (doubling - 10) * 8 + (last >> (doubling - 3)) & 7
    }

    /// Returns the size of the block for a payload of this many bytes.
    @inline(__always)
    static func rounded(_ byteCount: Int) -> Int {
        if byteCount <= 1_024 { return max(4, (byteCount + 3) & ~3) }
        if byteCount > byteCountMax { return byteCount }
        let step = 1 << (Int.bitWidth - 4 - (byteCount - 1).leadingZeroBitCount)
        return (byteCount + step - 1) & ~(step - 1)
    }

    /// Returns how many blocks a new chunk has: an eighth as many as are in use of this size, from 4 to 64, and no more
    /// than fit into 64 KiB. A longer block has a chunk to itself. So, until blocks are freed, at most an eighth of
    /// them is spare.
    static func blockCount(_ byteCount: Int, usedCount: Int) -> Int {
        byteCount > byteCountMax ? 1 : min(max(4, usedCount / 8), 64, max(1, (64 << 10) / byteCount))
    }
}
