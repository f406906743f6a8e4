/// Packs several blocks at once, on the writer's thread and on threads of other processors.
///
/// Owner: the thread that writes.
final class BlockPackers {
    /// How many blocks are packed together: some 0.5 MB of data.
    static let batchCount = 16

    private let packers: [BlockPacker]
    private let compression: DataCompression

    /// - Throws: ``SQLiteError`` when there is no memory for compressors.
    init(_ compression: DataCompression = .standard, packerCount: Int = ParallelThreads.count) throws {
        self.compression = compression
        packers = try (0..<max(1, packerCount)).map { _ in try BlockPacker(compression) }
    }

    /// Packs blocks.
    ///
    /// - Returns: The blocks in the same order. The bytes do not depend on the number of threads.
    /// - Complexity: O(bytes of data).
    func pack(_ blocks: [FilledBlock]) -> [BuiltBlock] {
        // A dictionary's compressing form is created at its first use, which must not happen on two threads.
        for block in blocks { block.dictionary?.prepareForCompressing(by: compression) }
        return ParallelWork.map(blocks, contexts: packers) { packer, block in block.packed(by: packer) }
    }
}
