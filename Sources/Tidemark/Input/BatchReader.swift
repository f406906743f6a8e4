import Dispatch
import Synchronization
import TidemarkModel
import TidemarkWire

/// How far a reader is; the engine looks at it from its own thread.
final class ReadProgress: Sendable {
    let lineCount = Atomic<Int64>(0)
    /// Bytes are on their way from the input to `lineCount`: neither of the two tells of them.
    let isTaking = Atomic(false)
}

/// Reads and decodes an input beside the engine, on a thread of its own that may wait for the disk or a pipe.
///
/// One batch is under way for each call of ``next()``.
final class BatchReader: Sendable {
    /// What only the reader's own queue touches.
    private struct Work {
        var framer: LineFramer
        let decoder: EventDecoder
        var blocks: ArraySlice<LineBlock> = []
        var isFinished = false
    }

    private let input: any LineInput
    private let chunkByteCount: Int
    private let queue: DispatchQueue
    private let progress: ReadProgress
    /// Locked by the queue's one job at a time, so never contended; the lock is what proves it to the compiler.
    private let work: Mutex<Work>

    /// - Parameters:
    ///   - chunkByteCount: Bytes to read at once; what a pipe or file gives may be less.
    ///   - pool: May be others', too.
    init(
        _ input: any LineInput, id: InputID, limits: Limits, chunkByteCount: Int, pool: BatchPool,
        progress: ReadProgress
    ) throws(WireError) {
        self.input = input
        self.chunkByteCount = chunkByteCount
        self.progress = progress
        queue = DispatchQueue(label: "tidemark.reader.\(id.rawValue)")
        work = Mutex(
            Work(
                framer: LineFramer(input: id, limits: limits, pool: pool),
                decoder: try EventDecoder(limits: limits, pool: pool)))
    }

    func stop() {
        input.stop()
    }

    /// The next lines; nil at the end.
    ///
    /// - Throws: ``InputError``, also when memory is short.
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
            // What was taken from the front is still held behind the slice, and a buffer that two hold is copied whole.
            work.blocks = []
            if work.isFinished { return nil }
            try input.waitForBytes()
            progress.isTaking.store(true, ordering: .sequentiallyConsistent)
            defer { progress.isTaking.store(false, ordering: .sequentiallyConsistent) }
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
            return try work.decoder.decode(block)
        } catch {
            throw InputError("no memory to decode \(block.bytes.count) bytes of input")
        }
    }
}
