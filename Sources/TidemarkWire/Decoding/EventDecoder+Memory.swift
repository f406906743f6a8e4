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
        var framer = LineFramer(input: input, limits: limits)
        bytes.withUnsafeBytes { framer.append($0) }
        framer.finish()
        let decoder = try EventDecoder(limits: limits)
        var batches: [EventBatch] = []
        for block in framer.takeBlocks() { batches.append(try decoder.decode(block)) }
        return batches
    }
}
