/// The memory that holds payloads: chunks of up to 64 blocks of one size.
///
/// A flush keeps it alive for as long as it reads payloads, even after the arena that fills it is gone.
///
/// Sendable by hand-over: only the arena writes here, on its owner's executor. A flush reads blocks at addresses that
/// were lent to it, and nobody writes or frees those before the flush has ended.
package final class PayloadMemory: @unchecked Sendable {
    /// One chunk, in 32 bytes.
    struct Chunk {
        /// The address of the first block; dangling if `blockCount` is 0 and the chunk number is unused.
        var start: UnsafeMutableRawPointer
        /// One bit for each block, from the lowest on; set for a free block.
        var free: UInt64
        var blockByteCount: UInt32
        /// The neighbours among the chunks of this size with a free block. `next` also links unused chunk numbers.
        var previous: UInt32
        var next: UInt32
        /// The size class of the blocks; `BlockSize.classCount` for a block longer than any class.
        var size: UInt16
        var blockCount: UInt8

        /// True if no block is in use.
        var isEmpty: Bool { free.nonzeroBitCount == Int(blockCount) }
        var byteCount: Int { Int(blockByteCount) * Int(blockCount) }
    }

    /// The chunks by number; owned.
    private(set) var chunks: UnsafeMutablePointer<Chunk>
    private(set) var chunkCount = 0
    private var capacity = 16

    init() {
        chunks = .allocate(capacity: capacity)
    }

    deinit {
        for number in 0..<chunkCount where chunks[number].blockCount > 0 { chunks[number].start.deallocate() }
        chunks.deallocate()
    }

    /// Adds a chunk under a new number. This may move the records of the other chunks.
    func append(_ chunk: Chunk) -> UInt32 {
        if chunkCount == capacity {
            capacity *= 2
            let grown = UnsafeMutablePointer<Chunk>.allocate(capacity: capacity)
            grown.moveInitialize(from: chunks, count: chunkCount)
            chunks.deallocate()
            chunks = grown
        }
        (chunks + chunkCount).initialize(to: chunk)
        chunkCount += 1
        return UInt32(chunkCount - 1)
    }
}
