import Dispatch
import Foundation
import TidemarkModel
import TidemarkStore

/// Encodes the rows of a flush on several processors, a few chunks ahead of the writer.
///
/// Compressing takes longer than writing. Therefore the writer's own thread encodes too whenever the chunk that it
/// needs is not ready, and helpers only encode. With one processor there is no helper, and the writer's thread does
/// everything. ``BodyClaims`` assigns the work.
final class BodyPipeline {
    /// The most threads beside the writer's: one for each other processor, 3 at most. Three encode more than one thread
    /// can write.
    static let helperCountMax = 3

    private let chunks: [BodyChunk]
    private let compression: DataCompression
    private let helperCount: Int
    private let queue = DispatchQueue(label: "tidemark.encoder", attributes: .concurrent)

    /// - Parameter helperCount: The number of threads beside the writer's.
    /// - Throws: ``SQLiteError`` when there is no memory for compressors.
    init(
        _ compression: DataCompression = .standard,
        helperCount: Int = min(BodyPipeline.helperCountMax, ProcessInfo.processInfo.activeProcessorCount - 1)
    ) throws {
        self.helperCount = helperCount
        self.compression = compression
        chunks = try (0..<BodyClaims.chunkCount).map { _ in try BodyChunk(compression) }
    }

    /// Encodes every row of a flush, in order.
    ///
    /// - Parameters:
    ///   - bytes: The flush's own bytes.
    ///   - dictionaries: The dictionaries by type.
    ///   - write: Called with one chunk after another on the calling thread. A chunk is valid until `write` returns.
    /// - Throws: The error of `write`. Afterwards `write` is not called again, and no thread encodes.
    /// - Complexity: O(rows + bytes).
    func forEachChunk(
        of flush: FlushBatch, bytes: UnsafeRawBufferPointer, dictionaries: [TypeIndex: PayloadDictionary],
        _ write: (BodyChunk) throws -> Void
    ) throws {
        try flush.rows.withUnsafeBufferPointer { rows in
            let source = BodySource(
                rows: rows, bytes: bytes, dictionaries: dictionaries,
                compression: compression, yieldRowCount: Processor.yieldRowCount(of: flush))
            let crew = EncodingThreads(source, chunks)
            // A flush that fits into one chunk has no work to share.
            let wanted = rows.count > BodyClaims.rowCountMax ? helperCount : 0
            for _ in 0..<max(0, wanted) { queue.async { crew.help() } }
            defer { crew.end() }
            try crew.write(write)
        }
    }
}
