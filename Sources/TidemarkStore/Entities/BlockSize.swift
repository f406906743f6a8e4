/// The sizes of payload blocks.
///
/// The sizes come in steps of 4 bytes up to 1 KiB, so that rounding costs next to nothing; then in eight sizes for each
/// doubling, up to 32 KiB. A longer payload gets a block of its own, to the byte.
enum BlockSize {
    /// The number of size classes, without the one for longer blocks, whose index this is.
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

    /// Returns the size of the block that holds this many bytes.
    @inline(__always)
    static func rounded(_ byteCount: Int) -> Int {
        if byteCount <= 1_024 { return max(4, (byteCount + 3) & ~3) }
        if byteCount > byteCountMax { return byteCount }
        let step = 1 << (Int.bitWidth - 4 - (byteCount - 1).leadingZeroBitCount)
        return (byteCount + step - 1) & ~(step - 1)
    }

    /// Returns the number of blocks that a new chunk has: an eighth of those of this size in use, 4 … 64, and no more
    /// than fill 64 KiB; a longer block has a chunk to itself. So at most an eighth of the blocks is free when none was
    /// freed.
    static func blockCount(_ byteCount: Int, usedCount: Int) -> Int {
        byteCount > byteCountMax ? 1 : min(max(4, usedCount / 8), 64, max(1, (64 << 10) / byteCount))
    }
}
