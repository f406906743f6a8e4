import Synchronization
import TidemarkModel
import TidemarkWire

/// A stream of event lines that is read into a cache.
///
/// ```swift
/// let stream = try await IngestStream(of: try DescriptorInput(0), into: cache)
/// while try await stream.next() {}
/// ```
package final class IngestStream {
    private let cache: SyncCache
    private let reader: BatchReader
    package let input: InputID
    /// The acknowledgements of durable lines, while the stream is read; ends after ``finish()``.
    package let acknowledgements: AsyncStream<Acknowledgement>
    /// The number of lines that were applied so far, and below the number of their bytes.
    package private(set) var lineCount: Int64 = 0
    package private(set) var byteCount: Int64 = 0

    /// Whether the next lines are read while the last ones are applied. For an input that waits for others, such as a
    /// server; see ``next()`` about pipes and files.
    package var readsAhead = false
    /// The lines that are being read ahead.
    private var ahead: Task<Result<EventBatch?, InputError>, Never>?

    /// 512 KiB: enough that a crossing to the engine costs nothing measurable, small enough to stay in a cache.
    package static let chunkByteCountDefault = 512 << 10

    /// - Throws: ``InputError`` when there is not enough memory.
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
    /// Reading ahead while the last batch is applied was tried and removed for pipes and files: the second core had to
    /// fetch line by line what the first had decoded, which cost as much as it saved and took that core from the
    /// journal.
    ///
    /// - Returns: false at the end of the input.
    /// - Throws: ``InputError`` when the input cannot be read, ``StorageError`` when stored data cannot be read.
    /// - Source: docs/decisions/0004-flush-policy.md.
    package func next() async throws -> Bool {
        guard let batch = try await readNext() else { return false }
        try await cache.ingest(batch)
        guard batch.origin != .reader else { return true }
        lineCount += Int64(batch.lines.count)
        if let last = batch.lines.last {
            byteCount = batch.firstOffset + Int64(last.offset) + Int64(last.count)
        }
        return true
    }

    private func readNext() async throws(InputError) -> EventBatch? {
        guard readsAhead else { return try await nextBatch() }
        let batch = try await (ahead ?? beginNextBatch()).value.get()
        ahead = batch == nil ? nil : beginNextBatch()
        return batch
    }

    /// Reads and decodes the next lines for a caller that applies them itself, in order; nil at the end of the input.
    ///
    /// - Throws: ``InputError`` when it cannot be read on.
    package func nextBatch() async throws(InputError) -> EventBatch? {
        try await reader.next()
    }

    /// Begins ``nextBatch()`` concurrently with the caller, who must wait for the result before the next call.
    package func beginNextBatch() -> Task<Result<EventBatch?, InputError>, Never> {
        Task { [reader] in
            do throws(InputError) {
                return .success(try await reader.next())
            } catch {
                return .failure(error)
            }
        }
    }

    /// Ends the input: declares missing numbers lost, and returns when everything is durable.
    ///
    /// - Throws: ``StorageError``.
    package func finish() async throws(StorageError) {
        try await cache.endOfInput()
        try await cache.flush()
        await cache.closeInput(input)
    }

    /// Ends the reading after the bytes that were read so far.
    package func stop() {
        reader.stop()
    }
}
