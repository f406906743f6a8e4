import Tidemark
import TidemarkModel

/// A session's input, and what was read of it before its turn.
///
/// Bounded by `byteCountMax`: past it nothing more is read, and the host, which has sent that much instead of an
/// answer, counts as one that does not answer.
struct ReadAhead {
    private let stream: IngestStream
    private let byteCountMax: Int
    /// In order; those before `start` are taken.
    private var batches: [EventBatch] = []
    private var start = 0
    private var byteCount = 0
    /// A read that is under way.
    private var reading: Task<Result<EventBatch?, InputError>, Never>?
    /// Tells the wait under way that the read is over.
    private var watch: Task<Void, Never>?
    private var isAtEnd = false

    init(_ stream: IngestStream, byteCountMax: Int) {
        self.stream = stream
        self.byteCountMax = byteCountMax
    }

    /// The next lines; nil at the end.
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

    /// Reads on while something is waited for.
    ///
    /// - Parameters:
    ///   - wait: Returns when it has come.
    ///   - calls: Refused when nothing more can be read: what is waited for would never come.
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
        // What is read already may hold the answer too.
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
            let message = "the host sent \(byteCount) bytes of other lines while an answer of it was waited for"
            // Final: while nothing is read no later attempt could be answered either.
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
