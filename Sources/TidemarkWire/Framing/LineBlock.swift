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
