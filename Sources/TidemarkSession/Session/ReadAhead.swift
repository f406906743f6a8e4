import Tidemark
import TidemarkMessages
import TidemarkModel

/// A session's input, with the batches that were read ahead of their turn.
///
/// Bounded by `byteCountMax`. Past it nothing more is read, and a host that sent that much instead of its answer counts
/// as not answering.
struct ReadAhead {
    private let stream: IngestStream
    private let byteCountMax: Int
    /// The batches in order; those before `start` are taken.
    private var batches: [EventBatch] = []
    private var start = 0
    private var byteCount = 0
    /// The read in progress; nil if there is none.
    private var reading: Task<Result<EventBatch?, InputError>, Never>?
    /// Signals the end of the read.
    private var watch: Task<Void, Never>?
    private var isAtEnd = false

    init(_ stream: IngestStream, byteCountMax: Int) {
        self.stream = stream
        self.byteCountMax = byteCountMax
    }

    /// Returns the next lines; nil at the end.
    mutating func next() async throws(InputError) -> EventBatch? {
        if start < batches.count {
            let batch = batches[start]
            start += 1
            byteCount -= batch.block.count
            if start == batches.count {
                batches = []
                start = 0
            }
            return batch
        }
        if let reading {
            self.reading = nil
            return try await reading.value.get()
        }
        return isAtEnd ? nil : try await stream.nextBatch()
    }

    /// Reads ahead while waiting for the host.
    ///
    /// - Parameters:
    ///   - wait: Returns when the awaited answer has arrived.
    ///   - calls: The calls to the host. They are refused when nothing more can be read, because no answer could
    ///     arrive.
    ///   - look: Receives each batch as it is read, ahead of its turn.
    mutating func read(
        until wait: @escaping @Sendable () async -> Void, calls: HostCalls, _ look: (EventBatch) -> Void
    ) async throws(InputError) {
        let (signals, signal) = AsyncStream.makeStream(of: Bool.self)
        let waiting = Task {
            await wait()
            signal.yield(true)
        }
        defer {
            waiting.cancel()
            calls.accept()
        }
        // Batches that were already read may contain the answer.
        for batch in batches[start...] { look(batch) }
        begin(calls, signal)
        for await isOver in signals {
            if isOver { return }
            guard let reading else { continue }
            self.reading = nil
            if let batch = try await reading.value.get() {
                batches.append(batch)
                byteCount += batch.block.count
                look(batch)
            } else {
                isAtEnd = true
            }
            begin(calls, signal)
        }
    }

    /// Starts to read the next lines, if there may be more and there is room for them.
    private mutating func begin(_ calls: HostCalls, _ signal: AsyncStream<Bool>.Continuation) {
        if isAtEnd { return calls.close() }
        guard byteCount < byteCountMax else {
            let message = "the host sent \(byteCount) bytes of other lines before its answer"
            // Final: while nothing is read, later attempts could not be answered either.
            return calls.refuse(UpstreamError(message, isFinal: true))
        }
        let reading = reading ?? stream.beginNextBatch()
        self.reading = reading
        watch = Task {
            _ = await reading.value
            signal.yield(false)
        }
    }
}
