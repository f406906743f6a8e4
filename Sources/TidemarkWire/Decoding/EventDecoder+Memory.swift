import TidemarkModel

extension EventDecoder {
    /// Frames and decodes bytes that are completely in memory; the last line needs no LF.
    ///
    /// - Parameter bytes: The bytes; they are copied.
    /// - Parameter input: The input in which the lines are numbered.
    /// - Parameter origin: The writer of the lines' envelopes.
    /// - Throws: ``WireError/outOfMemory``.
    /// - Complexity: O(bytes).
    package static func batches(
        of bytes: [UInt8], input: InputID = InputID(0), origin: LineOrigin = .producer, limits: Limits
    ) throws(WireError) -> [EventBatch] {
        try EventDecoder(limits: limits).batches(of: bytes, input: input, origin: origin)
    }

    /// The number of bytes that are framed at once: 16 MiB.
    private static let pieceByteCount = 16 << 20

    /// Does the same with an existing decoder: making its buffers costs more than decoding a single line.
    package func batches(
        of bytes: [UInt8], input: InputID = InputID(0), origin: LineOrigin = .producer
    ) throws(WireError) -> [EventBatch] {
        var framer = LineFramer(input: input, limits: limits, pool: pool, isOfMemory: true)
        var batches: [EventBatch] = []
        // The bytes are framed in pieces: as one chunk all lines would become one block, whose offsets have only 31
        // bits.
        var start = 0
        while start < bytes.count {
            let end = min(start + EventDecoder.pieceByteCount, bytes.count)
            bytes.withUnsafeBytes { framer.append(UnsafeRawBufferPointer(rebasing: $0[start..<end])) }
            for block in framer.takeBlocks() { batches.append(try decode(block, origin: origin)) }
            start = end
        }
        framer.finish()
        for block in framer.takeBlocks() { batches.append(try decode(block, origin: origin)) }
        framer.recycle()
        return batches
    }
}
