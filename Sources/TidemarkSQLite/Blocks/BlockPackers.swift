import Dispatch
import Foundation
import Synchronization

/// Packs several blocks at the same time, on the writer's thread and on those of other processors.
///
/// Owner: the thread that writes.
final class BlockPackers {
    /// The blocks that are worth packing together: some 0.5 MB of data.
    static let batchCount = 16
    private static let packerCountMax = 4

    private let packers: [BlockPacker]

    /// - Throws: ``SQLiteFailure`` when there is no memory for zstd.
    init(
        packerCount: Int = min(BlockPackers.packerCountMax, ProcessInfo.processInfo.activeProcessorCount)
    ) throws {
        packers = try (0..<max(1, packerCount)).map { _ in try BlockPacker() }
    }

    /// Packs blocks.
    ///
    /// - Returns: The blocks in the same order; the same bytes, whatever the number of threads.
    /// - Complexity: O(bytes of data).
    func pack(_ blocks: [FilledBlock]) -> [BuiltBlock] {
        guard blocks.count > 1, packers.count > 1 else { return blocks.map { $0.packed(by: packers[0]) } }
        // The form of a dictionary is made at its first use, which must not happen on two threads.
        for block in blocks { _ = block.dictionary?.compressing() }
        let work = Work(blocks, packers)
        // Each thread takes the next block until none is left, so the writer waits for one block of another at most.
        DispatchQueue.concurrentPerform(iterations: min(packers.count, blocks.count)) { work.pack(packer: $0) }
        return work.built.withLock { built in built.compactMap { $0 } }
    }

    /// The blocks of one batch.
    ///
    /// Sendable by claim: each packer belongs to one thread, and each block to the thread that took its number.
    private final class Work: @unchecked Sendable {
        private let blocks: [FilledBlock]
        private let packers: [BlockPacker]
        private let next = Atomic<Int>(0)
        let built: Mutex<[BuiltBlock?]>

        init(_ blocks: [FilledBlock], _ packers: [BlockPacker]) {
            self.blocks = blocks
            self.packers = packers
            built = Mutex(Array(repeating: nil, count: blocks.count))
        }

        func pack(packer: Int) {
            while true {
                let index = next.add(1, ordering: .relaxed).oldValue
                guard index < blocks.count else { return }
                let block = blocks[index].packed(by: packers[packer])
                built.withLock { $0[index] = block }
            }
        }
    }
}
