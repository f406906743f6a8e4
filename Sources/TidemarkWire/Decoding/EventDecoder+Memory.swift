import TidemarkModel

extension EventDecoder {
    /// Frames and decodes bytes that are completely in memory, with a new decoder. The last line needs no LF.
    ///
    /// - Parameters:
    ///   - bytes: The bytes; they are copied.
    ///   - input: The input in which the lines are numbered.
    ///   - origin: Who wrote the lines' envelopes.
    ///   - limits: The limits of accepted input.
    /// - Throws: ``WireError/outOfMemory``.
    /// - Complexity: O(bytes).
    package static func batches(
        of bytes: [UInt8], input: InputID = InputID(0), origin: LineOrigin = .producer, limits: Limits
    ) throws(WireError) -> [EventBatch] {
        try EventDecoder(limits: limits).batches(of: bytes, input: input, origin: origin)
    }

    /// How many bytes are framed at once: 16 MiB.
    private static let pieceByteCount = 16 << 20

    /// Frames and decodes bytes that are completely in memory. The last line needs no LF.
    ///
    /// Use this in place of the static function for many small inputs: creating a decoder costs more than decoding one
    /// line.
    ///
    /// - Parameters:
    ///   - bytes: The bytes; they are copied.
    ///   - input: The input in which the lines are numbered.
    ///   - origin: Who wrote the lines' envelopes.
    /// - Throws: ``WireError/outOfMemory``.
    /// - Complexity: O(bytes).
    package func batches(
        of bytes: [UInt8], input: InputID = InputID(0), origin: LineOrigin = .producer
    ) throws(WireError) -> [EventBatch] {
        var framer = LineFramer(input: input, limits: limits, pool: pool, isOfMemory: true)
        var batches: [EventBatch] = []
        // The bytes are framed in pieces. As one chunk, all lines would form one block, whose offsets have only 31
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
