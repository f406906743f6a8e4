import TidemarkModel

/// Consecutive lines of one input, cut but not decoded.
package struct LineBlock: Sendable {
    /// The lines' bytes, and at least ``paddingByteCount`` more bytes without meaning.
    package var bytes: [UInt8]
    /// The number of bytes that belong to lines and their ends; padding follows.
    package var byteCount: Int
    /// The positions of the lines, ascending, without line ends; only white space is between them.
    package var lines: [EventBatch.LineSpan]
    /// The input that the lines were read from.
    package var input: InputID
    /// The number of the block's first line in its input, from 1.
    package var firstLine: Int64
    /// The offset of `bytes[0]` in the input.
    package var firstOffset: Int64
    /// The full length of a line that was too long to keep; the block then holds only the beginning of that line. nil
    /// for a block of whole lines.
    package var tooLongByteCount: Int?

    /// How many padding bytes follow the lines, because the decoder may read past the end.
    package static let paddingByteCount = 64

    /// The largest number of bytes of a block: 1 GiB. Offsets in it have 31 bits.
    package static let byteCountMax = 1 << 30

    /// Creates a block from whole lines that the caller wrote.
    ///
    /// The buffer is no larger than the lines.
    ///
    /// - Parameters:
    ///   - bytes: Lines that each end with an LF; at most ``byteCountMax`` bytes. Capacity for ``paddingByteCount``
    ///     more bytes saves a copy.
    ///   - input: The input that the lines belong to.
    /// - Complexity: O(bytes).
    package init(lines bytes: consuming [UInt8], input: InputID = InputID(0)) {
        let count = bytes.count
        // No input reaches it: a caller that writes lines splits or refuses a larger text.
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

    /// Creates a block from bytes whose lines are already located. `bytes` must include the padding.
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
