/// The memory of payloads: chunks of up to 64 blocks of one size.
///
/// The memory outlives the arena that fills it for as long as a flush reads payloads in it.
///
/// Sendable by hand-over: only the arena writes here, where its owner runs; a flush keeps the memory alive and reads
/// blocks at addresses that were lent to it, and no one writes or frees those before the flush is over.
package final class PayloadMemory: @unchecked Sendable {
    /// One chunk, in 32 bytes.
    struct Chunk {
        /// The address of the first block; dangling when `blockCount` is 0 and the number is free.
        var start: UnsafeMutableRawPointer
        /// The free blocks as bits, from the lowest on: set for a free block.
        var free: UInt64
        var blockByteCount: UInt32
        /// The neighbours among the chunks of this size that have a free block; `next` also links free numbers.
        var previous: UInt32
        var next: UInt32
        /// The size class of the blocks; `BlockSize.classCount` for a block that is longer than any class.
        var size: UInt16
        var blockCount: UInt8

        /// Whether no block is in use.
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

    /// Adds a chunk under a new number. The other chunks may move.
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
