import TidemarkModel

/// Consecutive lines of one input, cut but not decoded.
package struct LineBlock: Sendable {
    /// The lines' bytes, and at least ``paddingByteCount`` more bytes without meaning.
    package var bytes: [UInt8]
    /// The number of bytes that are lines and line ends.
    package var byteCount: Int
    /// The positions of the lines, ascending, without line ends; only white space is between them.
    package var lines: [EventBatch.LineSpan]
    /// The input of the lines.
    package var input: InputID
    /// The number of the first line, from 1.
    package var firstLine: Int64
    /// The offset of `bytes[0]` in the input.
    package var firstOffset: Int64
    /// The whole size of a line that was too long to keep; the block is then the beginning of that one line. nil
    /// otherwise.
    package var tooLongByteCount: Int?

    /// The number of bytes after the lines that the decoder may read.
    package static let paddingByteCount = 64

    /// The largest number of bytes of a block: 1 GiB. Offsets in it have 31 bits.
    package static let byteCountMax = 1 << 30

    /// Makes a block of whole lines that the caller wrote, in a buffer that is no larger than the lines.
    ///
    /// - Parameter lines: Lines that each end with an LF; at most ``byteCountMax`` bytes. Capacity for
    ///   ``paddingByteCount`` more bytes saves a copy.
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

    /// Makes a block of lines that the caller holds.
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
