/// Consecutive lines of one input with their events, in order, as the wire passes them to the store.
///
/// A batch never changes, so the engine may use it while the reader fills the next one.
package final class EventBatch: Sendable {
    /// The position of a line in `block`, without its line end.
    package struct LineSpan: Hashable, Sendable {
        /// The offset of the line's first byte.
        package var offset: UInt32
        /// The number of bytes.
        package var count: UInt32

        @inlinable
        package init(offset: UInt32, count: UInt32) {
            self.offset = offset
            self.count = count
        }
    }

    /// The bytes of the lines, perhaps followed by others.
    package let block: [UInt8]
    /// The bytes that had to be rewritten: resources without white space, strings without escapes.
    package let rewritten: [UInt8]
    /// The positions of the lines.
    package let lines: [LineSpan]
    /// The events in the order of their lines.
    package let events: [ChangeEvent]
    /// The resources and ids of all events.
    package let members: [ChangeMember]
    /// The input of the lines; line numbers count within it.
    package let input: InputID
    /// The number of the first line in its input, from 1.
    package let firstLine: Int64
    /// The offset of the block's first byte in its input.
    package let firstOffset: Int64
    /// The whole sizes of lines that were too long to keep, by line index.
    package let wholeByteCounts: [UInt32: Int]
    /// How many lines have only white space.
    package let blankCount: Int
    /// How many lines are control lines.
    package let controlCount: Int
    /// Who wrote the envelopes of the lines.
    package let origin: LineOrigin
    /// The pool that the buffers return to; nil when they are not worth keeping.
    private let pool: BatchPool?

    package init(
        block: [UInt8], rewritten: [UInt8], lines: [LineSpan], events: [ChangeEvent],
        members: [ChangeMember], input: InputID, firstLine: Int64, firstOffset: Int64, wholeByteCounts: [UInt32: Int],
        blankCount: Int, controlCount: Int, origin: LineOrigin = .producer, pool: BatchPool?
    ) {
        self.block = block
        self.rewritten = rewritten
        self.lines = lines
        self.events = events
        self.members = members
        self.input = input
        self.firstLine = firstLine
        self.firstOffset = firstOffset
        self.wholeByteCounts = wholeByteCounts
        self.blankCount = blankCount
        self.controlCount = controlCount
        self.origin = origin
        self.pool = pool
    }

    deinit {
        guard let pool else { return }
        pool.blocks.give(block)
        pool.lines.give(lines)
    }

    /// Lends the bytes that the events refer to; they are valid only inside `body`.
    @inlinable
    package func withBytes<Result>(_ body: (EventBytes) throws -> Result) rethrows -> Result {
        try block.withUnsafeBytes { block in
            try rewritten.withUnsafeBytes { rewritten in
                try body(EventBytes(block: block, rewritten: rewritten))
            }
        }
    }

    /// Returns the lines of a range of events: from the line of its first event, or the batch's first line, up to the
    /// line of the first event after it, or the batch's end.
    package func lines(of range: Range<Int>) -> Range<Int> {
        let first = range.lowerBound == 0 ? 0 : Int(events[range.lowerBound].line)
        let end = range.upperBound == events.count ? lines.count : Int(events[range.upperBound].line)
        return first..<max(first, end)
    }

    /// Returns true if a line has only white space.
    package func isBlank(_ line: Int) -> Bool {
        let span = lines[line]
        return block[Int(span.offset)..<Int(span.offset + span.count)].allSatisfy {
            $0 == 0x20 || $0 == 0x09 || $0 == 0x0D
        }
    }
}
