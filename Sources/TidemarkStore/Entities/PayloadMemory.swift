/// The memory that payloads lie in: chunks of up to 64 blocks of one size.
///
/// It outlives the arena that fills it for as long as a flush reads payloads in it.
///
/// Sendable by hand-over: the arena alone writes here, where its owner runs; a flush keeps it alive and reads blocks at
/// addresses that were lent to it, which nobody writes or frees before the flush is over.
package final class PayloadMemory: @unchecked Sendable {
    /// 32 bytes.
    struct Chunk {
        /// Where its blocks begin; dangling when `blockCount` is 0, and the number free.
        var start: UnsafeMutableRawPointer
        /// By block, from the lowest bit on: set where it is free.
        var free: UInt64
        var blockByteCount: UInt32
        /// Neighbours among the chunks of this size that have a free block; `next` also links free numbers.
        var previous: UInt32
        var next: UInt32
        /// Class of its blocks; `BlockSize.classCount` for one that is longer than any.
        var size: UInt16
        var blockCount: UInt8

        /// No block is in use.
        var isEmpty: Bool { free.nonzeroBitCount == Int(blockCount) }
        var byteCount: Int { Int(blockByteCount) * Int(blockCount) }
    }

    /// By number; owned.
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

    /// Puts a chunk under a number that none ever had. The others may move.
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
