import Dispatch
import Synchronization
import TidemarkModel
import TidemarkWire

/// The progress of a reader, which the engine reads from its own thread.
final class ReadProgress: Sendable {
    let lineCount = Atomic<Int64>(0)
    /// True while bytes are between the input and `lineCount`, where neither shows them.
    let isTaking = Atomic(false)
}

/// Reads and decodes an input beside the engine, on a queue of its own that may block on a disk or a pipe.
///
/// Each call of ``next()`` produces one batch.
final class BatchReader: Sendable {
    /// The state that only the reader's own queue uses.
    private struct Work {
        var framer: LineFramer
        /// Frames the lines that a log's reader writes itself, which are not counted with the others; nil before the
        /// first of them.
        var readerFramer: LineFramer?
        let decoder: EventDecoder
        var blocks: ArraySlice<LineBlock> = []
        /// Who wrote the envelopes of the lines in `blocks`.
        var origin = LineOrigin.producer
        var isFinished = false
    }

    private let input: any LineInput
    private let id: InputID
    private let limits: Limits
    private let pool: BatchPool
    private let chunkByteCount: Int
    private let queue: DispatchQueue
    private let progress: ReadProgress
    /// Only the queue's one job at a time locks this, so the lock is never contended. It proves exclusive access to the
    /// compiler.
    private let work: Mutex<Work>

    /// - Parameters:
    ///   - chunkByteCount: The number of bytes to read at once; a pipe or a file may return fewer.
    ///   - pool: The buffers, which other readers may share.
    ///   - usesLibrary: As ``/TidemarkWire/EventDecoder`` has it.
    /// - Throws: ``WireError`` when memory runs out.
    init(
        _ input: any LineInput, id: InputID, limits: Limits, chunkByteCount: Int, pool: BatchPool,
        progress: ReadProgress, usesLibrary: Bool = true
    ) throws(WireError) {
        self.input = input
        (self.id, self.limits, self.pool) = (id, limits, pool)
        self.chunkByteCount = chunkByteCount
        self.progress = progress
        queue = DispatchQueue(label: "tidemark.reader.\(id.rawValue)")
        work = Mutex(
            Work(
                framer: LineFramer(input: id, limits: limits, pool: pool),
                decoder: try EventDecoder(limits: limits, pool: pool, usesLibrary: usesLibrary)))
    }

    func stop() {
        input.stop()
    }

    /// Returns the next lines; nil at the end.
    ///
    /// - Throws: ``InputError`` when the input cannot be read, or when memory runs out.
    func next() async throws(InputError) -> EventBatch? {
        let result: Result<EventBatch?, InputError> = await withCheckedContinuation { continuation in
            queue.async { continuation.resume(returning: self.readNext()) }
        }
        return try result.get()
    }

    private func readNext() -> Result<EventBatch?, InputError> {
        work.withLock { work in
            do throws(InputError) {
                return .success(try read(&work))
            } catch {
                return .failure(error)
            }
        }
    }

    private func read(_ work: inout Work) throws(InputError) -> EventBatch? {
        while work.blocks.isEmpty {
            // The slice still owns the blocks that were removed from its front. A buffer with two owners would be
            // copied.
            work.blocks = []
            if work.isFinished { return nil }
            try input.waitForBytes()
            progress.isTaking.store(true, ordering: .sequentiallyConsistent)
            defer { progress.isTaking.store(false, ordering: .sequentiallyConsistent) }
            work.origin = input.nextOrigin()
            if work.origin == .reader {
                work.isFinished = try readNotices(&work) == 0
                continue
            }
            let count = try work.framer.read(byteCountMax: chunkByteCount) { (space) throws(InputError) -> Int in
                try input.read(into: space)
            }
            if count == 0 {
                work.framer.finish()
                work.isFinished = true
            }
            work.blocks = work.framer.takeBlocks()[...]
            if let last = work.blocks.last {
                let lastLine = last.firstLine + Int64(last.lines.count) - 1
                progress.lineCount.store(lastLine, ordering: .sequentiallyConsistent)
            }
        }
        guard let block = work.blocks.popFirst() else { return nil }
        do throws(WireError) {
            return try work.decoder.decode(block, origin: work.origin)
        } catch {
            throw InputError("no memory to decode \(block.bytes.count) bytes of input")
        }
    }

    /// Reads the lines that a log's reader writes itself. They have no line numbers in the input.
    ///
    /// - Returns: The number of bytes; 0 when the input was stopped.
    private func readNotices(_ work: inout Work) throws(InputError) -> Int {
        var framer = work.readerFramer ?? LineFramer(input: id, limits: limits, pool: pool)
        work.readerFramer = nil
        let count = try framer.read(byteCountMax: chunkByteCount) { (space) throws(InputError) -> Int in
            try input.read(into: space)
        }
        work.blocks = framer.takeBlocks()[...]
        work.readerFramer = framer
        return count
    }
}
