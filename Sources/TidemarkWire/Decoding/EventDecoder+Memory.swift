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

    /// The same with a decoder that is used again: its buffers cost more than a single line.
    package func batches(of bytes: [UInt8], input: InputID = InputID(0)) throws(WireError) -> [EventBatch] {
        var framer = LineFramer(input: input, limits: limits, pool: pool)
        bytes.withUnsafeBytes { framer.append($0) }
        framer.finish()
        var batches: [EventBatch] = []
        for block in framer.takeBlocks() { batches.append(try decode(block)) }
        framer.recycle()
        return batches
    }
}
