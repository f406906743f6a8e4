// Stage 1 of 7: bytes → lines. Before: the input. After: EventDecoder. Laws: L7, L8.

import TidemarkModel

/// Splits a byte stream into lines at 0x0A only; chunks may be cut anywhere, also inside a character.
///
/// A CR before the LF and a BOM at the start of the stream are not part of a line; the last line needs no LF. A line
/// longer than `lineByteCountMax` is skipped up to its LF: only its beginning is kept, as a block of its own.
///
/// - Source: Protocol/framing.md.
package struct LineFramer {
    private let input: InputID
    private let lineByteCountMax: Int
    private let keptByteCountMax: Int
    /// Spare bytes in each buffer beside one chunk, for a line that continues in the next chunk. They let all buffers
    /// have one size. 0 for input that is completely in memory.
    private let carriedByteCount: Int

    private let pool: BatchPool
    /// The buffer. It begins with an incomplete line; bytes after `pendingByteCount` have no meaning. It grows to
    /// `lineByteCountMax`, one chunk and padding.
    private var buffer: [UInt8]
    /// Bytes of the incomplete line at the end of the input so far. Between two calls at most `lineByteCountMax` + 1
    /// (the last may be a CR), plus a BOM.
    package private(set) var pendingByteCount = 0
    /// How many of the pending bytes were already searched for an LF.
    private var searchedByteCount = 0
    /// The beginning and the length so far of a line that is being skipped because it is too long; nil between such
    /// lines.
    private var skipped: (kept: [UInt8], byteCount: Int, lastByte: UInt8)?
    private var nextLine: Int64 = 1
    /// The offset in the input of `buffer[0]`, or of the line that is being skipped.
    private var nextOffset: Int64 = 0
    /// The size of a new buffer: one chunk, padding and spare bytes. 0 before the first read and for input in memory.
    private var usualByteCount = 0
    /// Complete blocks that nobody has taken yet. `takeBlocks` empties it, so the blocks of one chunk bound it.
    private var blocks: [LineBlock] = []

    /// Creates a framer at the start of an input.
    ///
    /// - Parameters:
    ///   - input: The input that the blocks name.
    ///   - limits: `lineByteCountMax` bounds a line, `quarantineByteCountMax` what is kept of a longer one.
    ///   - pool: The source of buffers; the decoder of the blocks returns them to it.
    ///   - isOfMemory: True if the bytes are completely in memory. Buffers then have the size of the bytes, and none is
    ///     prepared for a next chunk.
    package init(
        input: InputID = InputID(0), limits: Limits = Limits(), pool: BatchPool = BatchPool(), isOfMemory: Bool = false
    ) {
        carriedByteCount = isOfMemory ? 0 : LineFramer.carriedByteCountUsual
        self.input = input
        self.pool = pool
        buffer = pool.blocks.take()
        lineByteCountMax = min(limits.lineByteCountMax, LineBlock.byteCountMax / 2)
        keptByteCountMax = limits.quarantineByteCountMax
    }

    /// Appends a chunk of the input and cuts it into lines.
    ///
    /// - Parameter bytes: Zero or more bytes; copied, never retained.
    /// - Complexity: O(bytes.count).
    package mutating func append(_ bytes: UnsafeRawBufferPointer) {
        read(byteCountMax: bytes.count) { space in
            space.copyMemory(from: bytes)
            return bytes.count
        }
    }

    /// Lets a source write its next bytes directly into the buffer, so that they are not copied again.
    ///
    /// - Parameter byteCountMax: The number of bytes that the source may write.
    /// - Parameter source: Writes at the beginning of the buffer and returns the number of bytes it wrote.
    /// - Returns: The number that `source` returned.
    /// - Complexity: O(bytes written + bytes of the incomplete line).
    @discardableResult
    package mutating func read<Failure: Error>(
        byteCountMax: Int, from source: (UnsafeMutableRawBufferPointer) throws(Failure) -> Int
    ) throws(Failure) -> Int {
        if carriedByteCount > 0 { usualByteCount = byteCountMax + LineBlock.paddingByteCount + carriedByteCount }
        reserve(for: byteCountMax)
        let start = pendingByteCount
        let result = buffer.withUnsafeMutableBytes { bytes in
            Result { () throws(Failure) in
                try source(UnsafeMutableRawBufferPointer(rebasing: bytes[start..<start + byteCountMax]))
            }
        }
        let count = try result.get()
        // No input reaches it: a source is code of this package and returns how much of the buffer it wrote.
        precondition(count >= 0 && count <= byteCountMax, "a source wrote \(count) bytes into \(byteCountMax)")
        pendingByteCount += count
        if skipped != nil { skip() }
        if skipped == nil { cut() }
        return count
    }

    /// Grows the buffer by doubling, so that a long line is not copied for every chunk. From half of the need of the
    /// longest line it grows to the whole at once: the old buffer is in memory as well while it is copied, so both
    /// together take at most one and a half times that need.
    private mutating func reserve(for byteCount: Int) {
        let needed = pendingByteCount + byteCount + LineBlock.paddingByteCount
        guard buffer.count < needed else { return }
        let neededMax = lineByteCountMax + byteCount + LineBlock.paddingByteCount + carriedByteCount
        let doubled = buffer.count * 2 > neededMax / 2 ? neededMax : buffer.count * 2
        let grown = pendingByteCount > byteCount ? max(needed, doubled) : needed + carriedByteCount
        // The buffer is not appended byte by byte, which takes a millisecond without optimization.
        var larger = [UInt8](repeating: 0, count: grown)
        larger.withUnsafeMutableBytes { larger in
            buffer.withUnsafeBytes {
                larger.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[..<pendingByteCount]))
            }
        }
        buffer = larger
    }

    private static let carriedByteCountUsual = 64 << 10

    /// Returns the complete lines since the last call, in order; empty when there are none.
    package mutating func takeBlocks() -> [LineBlock] {
        let taken = blocks
        blocks.removeAll(keepingCapacity: true)
        return taken
    }

    /// Ends the input: the remaining bytes are its last line.
    package mutating func finish() {
        if var line = skipped {
            if line.lastByte == UInt8(ascii: "\r") { line.byteCount -= 1 }
            emitTooLong(line.kept, byteCount: line.byteCount)
            skipped = nil
        } else if pendingByteCount > 0 {
            let isOnlyMark =
                nextLine == 1 && buffer[..<pendingByteCount].elementsEqual(LineFramer.byteOrderMark)
            if !isOnlyMark { emit(throughByteCount: pendingByteCount) }
        }
        pendingByteCount = 0
        searchedByteCount = 0
    }

    /// Returns the buffer to the pool. Call it last: the framer accepts no bytes afterwards.
    package mutating func recycle() {
        pool.blocks.give(buffer)
        buffer = []
    }

    private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

    /// Cuts off every complete line, then checks whether the rest is already too long.
    private mutating func cut() {
        let lastLineEnd = buffer.withUnsafeBytes { bytes in
            bytes[searchedByteCount..<pendingByteCount].lastIndex(of: UInt8(ascii: "\n"))
        }
        if let lastLineEnd { emit(throughByteCount: lastLineEnd + 1) }
        searchedByteCount = pendingByteCount
        let markByteCount =
            nextLine == 1 && buffer[..<pendingByteCount].starts(with: LineFramer.byteOrderMark)
            ? LineFramer.byteOrderMark.count : 0
        // One more byte may be the CR of a line that is just short enough.
        guard pendingByteCount - markByteCount > lineByteCountMax + 1 else { return }
        nextOffset += Int64(markByteCount)
        skipped = (
            kept: Array(buffer[markByteCount..<min(markByteCount + keptByteCountMax, pendingByteCount)]),
            byteCount: pendingByteCount - markByteCount, lastByte: buffer[pendingByteCount - 1]
        )
        buffer = pool.blocks.take()
        pendingByteCount = 0
        searchedByteCount = 0
    }

    /// Drops the bytes up to the LF that ends the skipped line; all bytes when there is none.
    private mutating func skip() {
        guard var line = skipped, pendingByteCount > 0 else { return }
        let end = buffer.withUnsafeBytes { $0.firstLineFeed(in: 0..<pendingByteCount) }
        guard let end else {
            line.byteCount += pendingByteCount
            line.lastByte = buffer[pendingByteCount - 1]
            skipped = line
            pendingByteCount = 0
            return
        }
        let last = end > 0 ? buffer[end - 1] : line.lastByte
        line.byteCount += end
        let lineEndByteCount = last == UInt8(ascii: "\r") ? 2 : 1
        if lineEndByteCount == 2 { line.byteCount -= 1 }
        emitTooLong(line.kept, byteCount: line.byteCount)
        nextOffset += Int64(lineEndByteCount)
        skipped = nil
        buffer.withUnsafeMutableBytes { bytes in
            bytes.copyBytes(from: UnsafeRawBufferPointer(rebasing: bytes[(end + 1)..<pendingByteCount]))
        }
        pendingByteCount -= end + 1
        searchedByteCount = 0
    }

    private mutating func emitTooLong(_ kept: [UInt8], byteCount: Int) {
        blocks.append(
            LineBlock(
                bytes: kept + [UInt8](repeating: 0, count: LineBlock.paddingByteCount),
                byteCount: kept.count, lines: [EventBatch.LineSpan(offset: 0, count: UInt32(kept.count))], input: input,
                firstLine: nextLine,
                firstOffset: nextOffset, tooLongByteCount: byteCount))
        nextLine += 1
        nextOffset += Int64(byteCount)
    }

    /// Turns the first bytes of the buffer into blocks; the bytes after them move to the front of a new buffer.
    private mutating func emit(throughByteCount end: Int) {
        var next = pool.blocks.take()
        let rest = pendingByteCount - end
        if next.count < rest + LineBlock.paddingByteCount {
            // The new buffer is not as large as the old one: after one long line every chunk would have a buffer too
            // large for the pool.
            next = Array(repeating: 0, count: max(usualByteCount, rest + LineBlock.paddingByteCount))
        }
        reserve(for: 0)
        buffer.withUnsafeBytes { bytes in
            next.withUnsafeMutableBytes {
                $0.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[end..<pendingByteCount]))
            }
        }
        var lines = pool.lines.take()
        lines.removeAll(keepingCapacity: true)
        var block = LineBlock(
            bytes: buffer, byteCount: end, lines: [], input: input, firstLine: nextLine, firstOffset: nextOffset)
        buffer = next
        pendingByteCount = rest
        var tooLong: [EventBatch.LineSpan] = []
        block.bytes.withUnsafeBytes { bytes in
            var start = nextLine == 1 && bytes[..<end].prefix(3).elementsEqual(LineFramer.byteOrderMark) ? 3 : 0
            while start < end {
                let lineEnd = bytes.firstLineFeed(in: start..<end) ?? end
                var count = lineEnd - start
                if count > 0, bytes[lineEnd - 1] == UInt8(ascii: "\r") { count -= 1 }
                let span = EventBatch.LineSpan(offset: UInt32(start), count: UInt32(count))
                lines.append(span)
                if count > lineByteCountMax { tooLong.append(span) }
                start = lineEnd + 1
            }
        }
        block.lines = lines
        let blockOffset = nextOffset
        if tooLong.isEmpty {
            blocks.append(block)
            nextLine += Int64(block.lines.count)
        } else {
            emit(block, around: tooLong)
        }
        nextOffset = blockOffset + Int64(end)
    }

    /// Emits the lines around those that are too long. A chunk larger than the limit can contain such lines between
    /// others; each becomes a block of its own.
    private mutating func emit(_ block: LineBlock, around tooLong: [EventBatch.LineSpan]) {
        var lines = block.lines[...]
        for span in tooLong {
            emit(lines.prefix { $0.offset < span.offset }, of: block)
            lines = lines.drop { $0.offset <= span.offset }
            let kept = block.bytes[Int(span.offset)...].prefix(min(Int(span.count), keptByteCountMax))
            nextOffset = block.firstOffset + Int64(span.offset)
            emitTooLong(Array(kept), byteCount: Int(span.count))
        }
        emit(lines, of: block)
    }

    private mutating func emit(_ lines: ArraySlice<EventBatch.LineSpan>, of block: LineBlock) {
        guard !lines.isEmpty else { return }
        blocks.append(
            LineBlock(
                bytes: block.bytes, byteCount: block.byteCount, lines: Array(lines), input: input, firstLine: nextLine,
                firstOffset: block.firstOffset))
        nextLine += Int64(lines.count)
    }
}
