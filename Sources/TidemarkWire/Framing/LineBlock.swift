import TidemarkModel

/// Consecutive lines of one input, cut out but not read.
package struct LineBlock: Sendable {
    /// The lines' bytes, and at least ``paddingByteCount`` more that mean nothing.
    package var bytes: [UInt8]
    /// How many of them are lines and line ends.
    package var byteCount: Int
    /// Ascending, without line ends; nothing but white space lies between them.
    package var lines: [EventBatch.LineSpan]
    /// Which input the lines came from.
    package var input: InputID
    /// Number of the first line, from 1.
    package var firstLine: Int64
    /// Offset in the input of `bytes[0]`.
    package var firstOffset: Int64
    /// The whole size of a line that was too long to keep: then the block is that one line's beginning.
    package var tooLongByteCount: Int?

    /// Bytes behind the lines that the decoder may read.
    package static let paddingByteCount = 64

    /// The most bytes that a block may have: 1 GiB. Places in it are told in 31 bits.
    package static let byteCountMax = 1 << 30

    /// Whole lines that somebody wrote, in a buffer that is no larger than they are.
    ///
    /// - Parameter lines: Each ends with an LF; at most ``byteCountMax`` bytes. Room behind them for ``paddingByteCount`` more
    ///   saves a copy.
    /// - Complexity: O(bytes).
    package init(lines bytes: consuming [UInt8], input: InputID = InputID(0)) {
        let count = bytes.count
        // No input reaches it: who writes lines splits or refuses what is larger.
        precondition(count <= LineBlock.byteCountMax, "\(count) bytes are too many for one block")
        bytes.append(contentsOf: repeatElement(0, count: LineBlock.paddingByteCount))
        var spans: [EventBatch.LineSpan] = []
        bytes.withUnsafeBytes { bytes in
            var start = 0
            while start < count, let end = bytes.firstLineFeed(in: start..<count) {
                spans.append(EventBatch.LineSpan(offset: UInt32(start), count: UInt32(end - start)))
                start = end + 1
            }
        }
        self.init(bytes: bytes, byteCount: count, lines: spans, input: input, firstLine: 1, firstOffset: 0)
    }

    /// A block of lines that somebody kept.
    package init(
        bytes: [UInt8], byteCount: Int, lines: [EventBatch.LineSpan], input: InputID, firstLine: Int64,
        firstOffset: Int64, tooLongByteCount: Int? = nil
    ) {
        self.bytes = bytes
        self.byteCount = byteCount
        self.lines = lines
        self.input = input
        self.firstLine = firstLine
        self.firstOffset = firstOffset
        self.tooLongByteCount = tooLongByteCount
    }
}
