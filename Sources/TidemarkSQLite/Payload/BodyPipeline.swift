import Dispatch
import Synchronization
import TidemarkModel
import TidemarkStore

/// The encoded bodies of consecutive rows of a flush.
final class BodyChunk {
    fileprivate let encoder: PayloadEncoder
    /// Which rows of the flush.
    fileprivate(set) var rows = 0..<0
    /// By row, from the first of `rows` on; empty for rows that need none. Valid until the chunk is given back.
    fileprivate(set) var bodies: [UnsafeRawBufferPointer] = []

    fileprivate init() throws {
        encoder = try PayloadEncoder()
    }
}

/// Encodes the rows of a flush on a second core, a few chunks ahead of the writer.
///
/// Compression costs about as much as writing does; side by side a flush takes the time of the longer. At most
/// ``chunkCount`` chunks exist: the encoder waits for the writer to give one back.
///
/// Sendable by hand-over: a chunk belongs to the encoding job between `free` and `filled`, and to the writer between
/// `filled` and `free`; the semaphores order the two. What a job reads of a flush does not change, and the writer
/// does not return before the job ended.
final class BodyPipeline: @unchecked Sendable {
    private static let chunkCount = 3
    private static let chunkRowCountMax = 1_024
    /// Below this a thread costs more than it saves.
    private static let ahead = 256

    private let chunks: [BodyChunk]
    private let queue = DispatchQueue(label: "tidemark.encoder")
    private let isCancelled = Atomic(false)

    /// - Throws: ``SQLiteFailure`` when there is no memory for zstd.
    init() throws {
        chunks = try (0..<BodyPipeline.chunkCount).map { _ in try BodyChunk() }
    }

    /// Encodes every row of a flush, in order.
    ///
    /// - Parameter bytes: The flush's own.
    /// - Parameter dictionaries: By type.
    /// - Parameter write: Gets chunk after chunk on the calling thread.
    /// - Throws: What `write` threw; then no more chunks are made.
    func forEachChunk(
        of flush: FlushBatch, bytes: UnsafeRawBufferPointer, dictionaries: [TypeIndex: PayloadDictionary],
        _ write: (BodyChunk) throws -> Void
    ) throws {
        if flush.rows.count < BodyPipeline.ahead {
            var next = 0
            while next < flush.rows.count {
                next = fill(chunks[0], from: next, of: flush, bytes: bytes, dictionaries: dictionaries)
                try write(chunks[0])
            }
            return
        }
        // Made with 0 and raised: one that goes while it is lower than it was made ends the process.
        let free = DispatchSemaphore(value: 0)
        for _ in chunks { free.signal() }
        let filled = DispatchSemaphore(value: 0)
        let done = DispatchSemaphore(value: 0)
        let source = Source(flush: flush, bytes: bytes, dictionaries: dictionaries)
        isCancelled.store(false, ordering: .releasing)
        queue.async {
            var next = 0
            var turn = 0
            while next < source.flush.rows.count {
                free.wait()
                if self.isCancelled.load(ordering: .acquiring) { break }
                next = self.fill(
                    self.chunks[turn % BodyPipeline.chunkCount], from: next, of: source.flush, bytes: source.bytes,
                    dictionaries: source.dictionaries)
                turn += 1
                filled.signal()
            }
            done.signal()
        }
        defer {
            isCancelled.store(true, ordering: .releasing)
            free.signal()
            done.wait()
        }
        var written = 0
        var turn = 0
        while written < flush.rows.count {
            filled.wait()
            let chunk = chunks[turn % BodyPipeline.chunkCount]
            turn += 1
            try write(chunk)
            written = chunk.rows.upperBound
            free.signal()
        }
    }

    /// What the job reads.
    ///
    /// Sendable by standing still: nothing of it changes while the job runs, and the writer does not return before its end.
    private struct Source: @unchecked Sendable {
        let flush: FlushBatch
        let bytes: UnsafeRawBufferPointer
        let dictionaries: [TypeIndex: PayloadDictionary]
    }

    /// - Returns: The first row that found no room.
    private func fill(
        _ chunk: BodyChunk, from start: Int, of flush: FlushBatch, bytes: UnsafeRawBufferPointer,
        dictionaries: [TypeIndex: PayloadDictionary]
    ) -> Int {
        chunk.encoder.startBatch()
        chunk.bodies.removeAll(keepingCapacity: true)
        let end = min(start + BodyPipeline.chunkRowCountMax, flush.rows.count)
        var index = start
        var lastType: TypeIndex?
        var dictionary: PayloadDictionary?
        let yieldRowCount = Processor.yieldRowCount(of: flush)
        while index < end {
            if index % yieldRowCount == 0 { Processor.yield() }
            let row = flush.rows[index]
            guard row.change == .insert || row.change == .update else {
                chunk.bodies.append(UnsafeRawBufferPointer(start: nil, count: 0))
                index += 1
                continue
            }
            // A batch that is empty takes a payload of any size.
            if index > start, !chunk.encoder.hasRoom(for: row.payloadCount + row.fieldsCount) { break }
            if row.type != lastType {
                lastType = row.type
                dictionary = dictionaries[row.type]
            }
            chunk.bodies.append(
                chunk.encoder.encode(
                    row.payload(in: bytes), id: row.id(in: bytes), seal: PayloadSeal(row),
                    fields: row.fields(in: bytes), isReduced: row.isReduced,
                    dictionary: dictionary, isPadded: row.change == .insert))
            index += 1
        }
        chunk.rows = start..<index
        return index
    }
}
