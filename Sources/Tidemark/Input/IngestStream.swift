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
    /// The batch that is read while the last one is applied; nil at the end.
    private var upcoming: Task<Result<EventBatch?, InputError>, Never>?
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
            hasUnread: { input.hasUnread() }, readLineCount: { progress.lineCount.load(ordering: .acquiring) })
        do throws(WireError) {
            reader = try BatchReader(
                input, id: self.input, limits: cache.configuration.limits, chunkByteCount: chunkByteCount,
                progress: progress)
        } catch {
            throw InputError("no memory for a decoder")
        }
    }

    /// Applies the next lines; meanwhile those after them are read.
    ///
    /// - Returns: false at the end of the input.
    /// - Throws: ``InputError`` when it cannot be read on, ``StorageError`` when what is stored cannot be read.
    package func next() async throws -> Bool {
        let current = upcoming ?? read()
        upcoming = nil
        guard let batch = try await current.value.get() else { return false }
        upcoming = read()
        try await cache.ingest(batch)
        lineCount += Int64(batch.lines.count)
        if let last = batch.lines.last {
            byteCount = batch.firstOffset + Int64(last.offset) + Int64(last.count)
        }
        return true
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

    private func read() -> Task<Result<EventBatch?, InputError>, Never> {
        Task { [reader] in
            do throws(InputError) {
                return .success(try await reader.next())
            } catch {
                return .failure(error)
            }
        }
    }
}
