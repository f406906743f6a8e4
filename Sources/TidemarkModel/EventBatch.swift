/// Consecutive lines of one input and the events in them, in order: what the wire hands to the store.
///
/// Nothing in it changes after it was made, so it may cross to the engine while the reader fills the
/// next one.
package final class EventBatch: Sendable {
    /// Where one line lies in `block`, without its line end.
    package struct LineSpan: Hashable, Sendable {
        package var offset: UInt32
        package var count: UInt32

        @inlinable
        package init(offset: UInt32, count: UInt32) {
            self.offset = offset
            self.count = count
        }
    }

    /// The lines' bytes; may be longer than the lines.
    package let block: [UInt8]
    /// What had to be written anew: resources without their white space, strings without escapes.
    package let rewritten: [UInt8]
    package let lines: [LineSpan]
    package let events: [ChangeEvent]
    package let members: [ChangeMember]
    /// Which input the lines came from; line numbers count within it.
    package let input: InputID
    /// Number in the input of the first line, from 1.
    package let firstLine: Int64
    /// Offset in the input of the block's first byte.
    package let firstOffset: Int64
    /// For a line that was too long to keep: its whole size, by line index.
    package let wholeByteCounts: [UInt32: Int]
    package let blankCount: Int
    package let controlCount: Int
    /// Gets the buffers back; nil when they are not worth it.
    private let pool: BatchPool?

    package init(
        block: [UInt8], rewritten: [UInt8], lines: [LineSpan], events: [ChangeEvent],
        members: [ChangeMember], input: InputID, firstLine: Int64, firstOffset: Int64, wholeByteCounts: [UInt32: Int],
        blankCount: Int, controlCount: Int, pool: BatchPool?
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
        self.pool = pool
    }

    deinit {
        guard let pool else { return }
        pool.blocks.give(block)
        pool.lines.give(lines)
    }

    /// Lends the bytes that the events point into; valid inside `body` only.
    @inlinable
    package func withBytes<Result>(_ body: (EventBytes) throws -> Result) rethrows -> Result {
        try block.withUnsafeBytes { block in
            try rewritten.withUnsafeBytes { rewritten in
                try body(EventBytes(block: block, rewritten: rewritten))
            }
        }
    }

    /// The lines that go with a range of events: from its first event's on, or the batch's first, up to the first event's
    /// behind it, or the batch's end.
    package func lines(of range: Range<Int>) -> Range<Int> {
        let first = range.lowerBound == 0 ? 0 : Int(events[range.lowerBound].line)
        let end = range.upperBound == events.count ? lines.count : Int(events[range.upperBound].line)
        return first..<max(first, end)
    }

    /// Whether a line holds nothing but white space.
    package func isBlank(_ line: Int) -> Bool {
        let span = lines[line]
        return block[Int(span.offset)..<Int(span.offset + span.count)].allSatisfy {
            $0 == 0x20 || $0 == 0x09 || $0 == 0x0D
        }
    }
}
