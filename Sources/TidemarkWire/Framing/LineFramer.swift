// Stage 1 of 7: bytes → lines. Before: the input. After: EventDecoder. Laws: L7, L8.

import TidemarkModel

/// Splits a byte stream into lines at 0x0A alone; chunks may be cut anywhere, inside a character too.
///
/// A CR before the LF and a BOM at the start of the stream belong to no line; the last line needs no LF. A
/// line past `lineByteCountMax` is skipped to its LF: only its beginning is kept, and it comes out as a block of
/// its own.
///
/// - Source: Protocol/framing.md.
package struct LineFramer {
    private let input: InputID
    private let lineByteCountMax: Int
    private let keptByteCountMax: Int

    /// The beginning of a line whose LF was not seen. At most `lineByteCountMax` + 1 bytes (the one more may be a
    /// CR) and one chunk.
    private var pending: [UInt8] = []
    /// How much of `pending` was searched for an LF.
    private var searchedByteCount = 0
    /// Set while a line that is too long is skipped: its kept beginning and how long it is so far.
    private var skipped: (kept: [UInt8], byteCount: Int, lastByte: UInt8)?
    private var nextLine: Int64 = 1
    /// Offset in the input of `pending[0]`, or of the skipped line.
    private var nextOffset: Int64 = 0
    /// Blocks that are complete; `takeBlocks` empties it, so one chunk's blocks are its bound.
    private var blocks: [LineBlock] = []

    package init(input: InputID = InputID(0), limits: Limits = Limits()) {
        self.input = input
        lineByteCountMax = limits.lineByteCountMax
        keptByteCountMax = limits.quarantineByteCountMax
    }

    /// Bytes held back because their line is not complete.
    package var pendingByteCount: Int { pending.count }

    /// Takes bytes in.
    ///
    /// - Parameter bytes: Zero or more; copied, never retained.
    /// - Complexity: O(bytes.count).
    package mutating func append(_ bytes: UnsafeRawBufferPointer) {
        read(byteCountMax: bytes.count) { space in
            space.copyMemory(from: bytes)
            return bytes.count
        }
    }

    /// Lets a source write its next bytes where the framer wants them, so that they are not copied again.
    ///
    /// - Parameter byteCountMax: Room to offer.
    /// - Parameter source: Writes at the beginning of the buffer and returns how many bytes it wrote.
    /// - Returns: What `source` returned.
    /// - Complexity: O(bytes written + bytes of the incomplete line).
    @discardableResult
    package mutating func read<Failure: Error>(
        byteCountMax: Int, from source: (UnsafeMutableRawBufferPointer) throws(Failure) -> Int
    ) throws(Failure) -> Int {
        let carried = pending.count
        var result: Result<Int, Failure> = .success(0)
        func fill(_ start: UnsafeMutablePointer<UInt8>) -> Int {
            do throws(Failure) {
                let count = try source(UnsafeMutableRawBufferPointer(start: start, count: byteCountMax))
                precondition(count >= 0 && count <= byteCountMax, "a source wrote \(count) bytes into \(byteCountMax)")
                result = .success(count)
                return count
            } catch {
                result = .failure(error)
                return 0
            }
        }
        if carried <= byteCountMax {
            // The usual case: a short rest of a line moves to the front of a new block.
            pending = Array(unsafeUninitializedCapacity: carried + byteCountMax + LineBlock.paddingByteCount) {
                buffer, count in
                guard let start = buffer.baseAddress else { return }
                pending.withUnsafeBufferPointer { old in
                    if let oldStart = old.baseAddress { start.update(from: oldStart, count: carried) }
                }
                count = carried + fill(start + carried)
            }
        } else {
            // A line longer than a chunk grows where it is; copying it for every chunk would be quadratic.
            let chunk = [UInt8](unsafeUninitializedCapacity: byteCountMax) { buffer, count in
                guard let start = buffer.baseAddress else { return }
                count = fill(start)
            }
            pending.append(contentsOf: chunk)
        }
        let count = try result.get()
        if skipped != nil { skip() }
        if skipped == nil { cut() }
        return count
    }

    /// The complete lines since the last call, in order; empty when there are none.
    package mutating func takeBlocks() -> [LineBlock] {
        let taken = blocks
        blocks.removeAll(keepingCapacity: true)
        return taken
    }

    /// The input ended: what is left is its last line.
    package mutating func finish() {
        if var line = skipped {
            if line.lastByte == UInt8(ascii: "\r") { line.byteCount -= 1 }
            emitTooLong(line.kept, byteCount: line.byteCount)
            skipped = nil
        } else if !pending.isEmpty {
            let isOnlyMark = nextLine == 1 && pending.elementsEqual(LineFramer.byteOrderMark)
            if !isOnlyMark { emit(throughByteCount: pending.count, rest: []) }
        }
        pending = []
        searchedByteCount = 0
    }

    private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

    /// Cuts off every complete line of `pending`, then looks whether what is left is too long already.
    private mutating func cut() {
        let lastLineEnd = pending.withUnsafeBytes { bytes in
            bytes[searchedByteCount...].lastIndex(of: UInt8(ascii: "\n"))
        }
        if let lastLineEnd {
            let rest = Array(pending[(lastLineEnd + 1)...])
            emit(throughByteCount: lastLineEnd + 1, rest: rest)
        }
        searchedByteCount = pending.count
        // One byte more may be the CR of a line that is just short enough.
        guard pending.count > lineByteCountMax + 1 else { return }
        skipped = (
            kept: Array(pending.prefix(keptByteCountMax)), byteCount: pending.count,
            lastByte: pending[pending.count - 1]
        )
        pending = []
        searchedByteCount = 0
    }

    /// Drops `pending` up to the LF that ends the skipped line; all of it when there is none.
    private mutating func skip() {
        guard var line = skipped, !pending.isEmpty else { return }
        guard let end = pending.firstIndex(of: UInt8(ascii: "\n")) else {
            line.byteCount += pending.count
            line.lastByte = pending[pending.count - 1]
            skipped = line
            pending = []
            return
        }
        let last = end > 0 ? pending[end - 1] : line.lastByte
        line.byteCount += end
        let lineEndByteCount = last == UInt8(ascii: "\r") ? 2 : 1
        if lineEndByteCount == 2 { line.byteCount -= 1 }
        emitTooLong(line.kept, byteCount: line.byteCount)
        nextOffset += Int64(lineEndByteCount)
        skipped = nil
        pending = Array(pending[(end + 1)...])
        searchedByteCount = 0
    }

    private mutating func emitTooLong(_ kept: [UInt8], byteCount: Int) {
        blocks.append(
            LineBlock(
                bytes: kept + [UInt8](repeating: 0, count: LineBlock.paddingByteCount),
                lines: [EventBatch.LineSpan(offset: 0, count: UInt32(kept.count))], input: input, firstLine: nextLine,
                firstOffset: nextOffset, tooLongByteCount: byteCount))
        nextLine += 1
        nextOffset += Int64(byteCount)
    }

    /// Turns the first bytes of `pending` into blocks; `rest` becomes `pending`.
    private mutating func emit(throughByteCount end: Int, rest: [UInt8]) {
        var bytes = pending
        pending = rest
        bytes.append(contentsOf: repeatElement(0, count: LineBlock.paddingByteCount))
        var block = LineBlock(bytes: bytes, lines: [], input: input, firstLine: nextLine, firstOffset: nextOffset)
        block.lines.reserveCapacity(end / LineFramer.expectedLineByteCount + 1)
        var tooLong: [EventBatch.LineSpan] = []
        bytes.withUnsafeBytes { bytes in
            var start = nextLine == 1 && bytes.prefix(3).elementsEqual(LineFramer.byteOrderMark) ? 3 : 0
            while start < end {
                let lineEnd = bytes.firstLineFeed(in: start..<end) ?? end
                var count = lineEnd - start
                if count > 0, bytes[lineEnd - 1] == UInt8(ascii: "\r") { count -= 1 }
                block.lines.append(EventBatch.LineSpan(offset: UInt32(start), count: UInt32(count)))
                if count > lineByteCountMax { tooLong.append(EventBatch.LineSpan(offset: UInt32(start), count: UInt32(count))) }
                start = lineEnd + 1
            }
        }
        let blockOffset = nextOffset
        if tooLong.isEmpty {
            blocks.append(block)
            nextLine += Int64(block.lines.count)
        } else {
            emit(block, around: tooLong)
        }
        nextOffset = blockOffset + Int64(end)
    }

    /// A chunk larger than the limit can hold lines that are too long between others: each becomes a block of its own.
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
            LineBlock(bytes: block.bytes, lines: Array(lines), input: input, firstLine: nextLine, firstOffset: block.firstOffset))
        nextLine += Int64(lines.count)
    }

    /// A guess that only sizes an array.
    private static let expectedLineByteCount = 256
}
