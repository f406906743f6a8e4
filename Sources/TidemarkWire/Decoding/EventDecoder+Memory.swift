import TidemarkModel

extension EventDecoder {
    /// Frames and decodes bytes that are in memory as a whole; the last line needs no LF.
    ///
    /// - Parameter bytes: Copied.
    /// - Parameter input: Which input the lines count in.
    /// - Throws: ``WireError/outOfMemory``.
    /// - Complexity: O(bytes).
    package static func batches(
        of bytes: [UInt8], input: InputID = InputID(0), limits: Limits
    ) throws(WireError) -> [EventBatch] {
        try EventDecoder(limits: limits).batches(of: bytes, input: input)
    }

    /// Bytes that are framed at once: 16 MiB.
    private static let pieceByteCount = 16 << 20

    /// The same with a decoder that is used again: its buffers cost more than a single line.
    package func batches(of bytes: [UInt8], input: InputID = InputID(0)) throws(WireError) -> [EventBatch] {
        var framer = LineFramer(input: input, limits: limits, pool: pool, isOfMemory: true)
        var batches: [EventBatch] = []
        // Piece by piece: as one chunk all lines would become one block, whose places are told in 31 bits.
        var start = 0
        while start < bytes.count {
            let end = min(start + EventDecoder.pieceByteCount, bytes.count)
            bytes.withUnsafeBytes { framer.append(UnsafeRawBufferPointer(rebasing: $0[start..<end])) }
            for block in framer.takeBlocks() { batches.append(try decode(block)) }
            start = end
        }
        framer.finish()
        for block in framer.takeBlocks() { batches.append(try decode(block)) }
        framer.recycle()
        return batches
    }
}
