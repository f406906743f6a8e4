/// Packs several blocks at the same time, on the writer's thread and on those of other processors.
///
/// Owner: the thread that writes.
final class BlockPackers {
    /// The blocks that are worth packing together: some 0.5 MB of data.
    static let batchCount = 16

    private let packers: [BlockPacker]

    /// - Throws: ``SQLiteFailure`` when there is no memory for zstd.
    init(packerCount: Int = ParallelThreads.count) throws {
        packers = try (0..<max(1, packerCount)).map { _ in try BlockPacker() }
    }

    /// Packs blocks.
    ///
    /// - Returns: The blocks in the same order; the same bytes, whatever the number of threads.
    /// - Complexity: O(bytes of data).
    func pack(_ blocks: [FilledBlock]) -> [BuiltBlock] {
        // The form of a dictionary is made at its first use, which must not happen on two threads.
        for block in blocks { _ = block.dictionary?.compressing() }
        return ParallelWork.map(blocks, contexts: packers) { packer, block in block.packed(by: packer) }
    }
}
