import Synchronization
import TidemarkModel
import TidemarkWire

/// One stream of event lines on its way into a cache.
///
/// ```swift
/// let stream = try await IngestStream(of: try DescriptorInput(0), into: cache)
/// while try await stream.next() {}
/// ```
package final class IngestStream {
    private let cache: SyncCache
    private let reader: BatchReader
    package let input: InputID
    /// What became durable, while the stream is read; ends after ``finish()``.
    package let acknowledgements: AsyncStream<Acknowledgement>
    /// Lines, and bytes behind them, that were applied so far.
    package private(set) var lineCount: Int64 = 0
    package private(set) var byteCount: Int64 = 0

    /// 512 KiB: enough that a crossing to the engine costs nothing measurable, small enough to stay in a cache.
    package static let chunkByteCountDefault = 512 << 10

    /// - Throws: ``InputError`` when memory is short.
    package init(
        of input: any LineInput, into cache: SyncCache, chunkByteCount: Int = IngestStream.chunkByteCountDefault
    ) async throws(InputError) {
        self.cache = cache
        let progress = ReadProgress()
        (self.input, acknowledgements) = await cache.openInput(
            hasUnread: { progress.isTaking.load(ordering: .sequentiallyConsistent) || input.hasUnread() },
            readLineCount: { progress.lineCount.load(ordering: .sequentiallyConsistent) })
        do throws(WireError) {
            reader = try BatchReader(
                input, id: self.input, limits: cache.configuration.limits, chunkByteCount: chunkByteCount,
                pool: cache.pool, progress: progress)
        } catch {
            throw InputError("no memory for a decoder")
        }
    }

    /// Reads, decodes and applies the next lines.
    ///
    /// Reading ahead while the last batch is applied was tried and dropped: what one core decoded, the other had to
    /// fetch line by line, which cost as much as it saved and took the core from the journal.
    ///
    /// - Returns: false at the end of the input.
    /// - Throws: ``InputError`` when it cannot be read on, ``StorageError`` when what is stored cannot be read.
    /// - Source: docs/decisions/0004-flush-policy.md.
    package func next() async throws -> Bool {
        guard let batch = try await nextBatch() else { return false }
        try await cache.ingest(batch)
        lineCount += Int64(batch.lines.count)
        if let last = batch.lines.last {
            byteCount = batch.firstOffset + Int64(last.offset) + Int64(last.count)
        }
        return true
    }

    /// Reads and decodes the next lines for a caller that applies them itself, in order; nil at the end of the input.
    ///
    /// - Throws: ``InputError`` when it cannot be read on.
    package func nextBatch() async throws(InputError) -> EventBatch? {
        try await reader.next()
    }

    /// Begins ``nextBatch()`` beside the caller, who must wait for it before the next one.
    package func beginNextBatch() -> Task<Result<EventBatch?, InputError>, Never> {
        Task { [reader] in
            do throws(InputError) {
                return .success(try await reader.next())
            } catch {
                return .failure(error)
            }
        }
    }

    /// The input ended: gives up what is missing, and returns when everything is durable.
    ///
    /// - Throws: ``StorageError``.
    package func finish() async throws(StorageError) {
        try await cache.endOfInput()
        try await cache.flush()
        await cache.closeInput(input)
    }

    /// Reading ends with what was read so far.
    package func stop() {
        reader.stop()
    }
}
