import Synchronization
import TidemarkModel
import TidemarkWire

/// A stream of event lines that is read into a cache.
///
/// ```swift
/// func ingest(_ input: some LineInput) async throws {
///     let stream = try await IngestStream(of: input, into: cache)
///     while try await stream.next() {}
///     try await stream.finish()
/// }
/// ```
package final class IngestStream {
    private let cache: SyncCache
    private let reader: BatchReader
    /// The number of the input in the cache.
    package let input: InputID
    /// The acknowledgements of durable lines, while the stream is read; ends after ``finish()``.
    package let acknowledgements: AsyncStream<Acknowledgement>
    /// The number of lines that were applied so far.
    package private(set) var lineCount: Int64 = 0
    /// The number of bytes of the lines that were applied so far.
    package private(set) var byteCount: Int64 = 0

    /// Whether to read the next lines while the last ones are applied. Use it for an input that waits for others, such
    /// as a server; see ``next()`` about pipes and files. Default: false.
    package var readsAhead = false
    /// The task that reads the next lines ahead; nil when none does.
    private var ahead: Task<Result<EventBatch?, InputError>, Never>?

    /// How many bytes to read at once by default: 512 KiB. That is enough to make the cost of entering the engine
    /// unmeasurable, and small enough to stay in a processor's cache.
    package static let chunkByteCountDefault = 512 << 10

    /// Opens an input in a cache. Nothing is read yet.
    ///
    /// - Throws: ``InputError`` when memory runs out.
    package init(
        of input: any LineInput, into cache: SyncCache, chunkByteCount: Int = IngestStream.chunkByteCountDefault,
        usesLibrary: Bool = true
    ) async throws(InputError) {
        self.cache = cache
        let progress = ReadProgress()
        (self.input, acknowledgements) = await cache.openInput(
            hasUnread: { progress.isTaking.load(ordering: .sequentiallyConsistent) || input.hasUnread() },
            readLineCount: { progress.lineCount.load(ordering: .sequentiallyConsistent) })
        do throws(WireError) {
            reader = try BatchReader(
                input, id: self.input, limits: cache.configuration.limits, chunkByteCount: chunkByteCount,
                pool: cache.pool, progress: progress, usesLibrary: usesLibrary)
        } catch {
            throw InputError("no memory for a decoder")
        }
    }

    /// Reads, decodes and applies the next lines.
    ///
    /// For pipes and files, reading ahead was tried and removed: the second core had to fetch line by line what the
    /// first had decoded, which cost as much as it saved, and the journal then lacked that core.
    ///
    /// - Returns: False at the end of the input.
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
    /// - Throws: ``InputError`` when the input cannot be read.
    package func nextBatch() async throws(InputError) -> EventBatch? {
        try await reader.next()
    }

    /// Starts ``nextBatch()`` beside the caller, who must await the result before the next call.
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
    /// - Throws: ``StorageError`` when the journal cannot be read or written.
    package func finish() async throws(StorageError) {
        try await cache.endOfInput()
        try await cache.flush()
        await cache.closeInput(input)
    }

    /// Stops reading. Bytes that were read are still applied.
    package func stop() {
        reader.stop()
    }
}
