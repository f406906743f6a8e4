import Tidemark
import TidemarkModel

/// A session's input, and the batches that were read from it before their turn.
///
/// Bounded by `byteCountMax`: beyond it nothing more is read, and a host that sent that much instead of an answer
/// counts as a host that does not answer.
struct ReadAhead {
    private let stream: IngestStream
    private let byteCountMax: Int
    /// The batches in order; those before `start` are taken.
    private var batches: [EventBatch] = []
    private var start = 0
    private var byteCount = 0
    /// The read that is under way; nil when there is none.
    private var reading: Task<Result<EventBatch?, InputError>, Never>?
    /// The task that signals the end of the read.
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

    /// Reads on during a wait.
    ///
    /// - Parameters:
    ///   - wait: Returns when the awaited answer has come.
    ///   - calls: The calls to the host; they are refused when nothing more can be read, because their answers would
    ///     never come.
    ///   - look: Gets each batch as it is read, before its turn.
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
        // A batch that was read already may contain the answer too.
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

    /// Begins to read the next lines, if there may be more and there is room for them.
    private mutating func begin(_ calls: HostCalls, _ signal: AsyncStream<Bool>.Continuation) {
        if isAtEnd { return calls.close() }
        guard byteCount < byteCountMax else {
            let message = "the host sent \(byteCount) bytes of other lines before its answer"
            // Final: while nothing is read, no later attempt could be answered either.
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
