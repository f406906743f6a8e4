import Synchronization
import Tidemark
import TidemarkHTTP
import TidemarkHTTPRules
import TidemarkModel

/// Reads the payloads of a multipart body while they arrive, with a time limit for each.
///
/// It is used by one task at a time.
final class PartReader: GraphQLParts {
    private struct State {
        var reader: MultipartReader
        var parts: [MultipartReader.Part] = []
        var isEnded = false
        /// The number of bytes since the last part. A preamble without an end is not kept, only counted.
        var byteCount = 0
    }

    private let body: HTTPBody
    private let timeout: Duration
    private let clock: any CacheClock
    private let state: Mutex<State>
    /// Creates an error from a reason and a message.
    private let failure: @Sendable (String, String) -> UpstreamError
    private let onStop: @Sendable () -> Void

    init(
        _ body: HTTPBody, _ reader: MultipartReader, timeout: Duration, _ clock: any CacheClock,
        failure: @escaping @Sendable (String, String) -> UpstreamError, onStop: @escaping @Sendable () -> Void
    ) {
        self.body = body
        self.timeout = timeout
        self.clock = clock
        self.failure = failure
        self.onStop = onStop
        state = Mutex(State(reader: reader))
    }

    func stop() {
        body.cancel()
        onStop()
    }

    func next() async throws(UpstreamError) -> (payload: JSONValue, byteCount: Int)? {
        while true {
            if let part = state.withLock({ $0.parts.isEmpty ? nil : $0.parts.removeFirst() }) {
                return (try payload(of: part), part.body.count)
            }
            guard !state.withLock({ $0.isEnded }) else {
                guard state.withLock({ $0.reader.isWhole }) else {
                    throw failure("premature_end", "its answer ended before the last part")
                }
                return nil
            }
            try await readMore()
        }
    }

    private func readMore() async throws(UpstreamError) {
        let deadline = Deadline(timeout, clock)
        defer { deadline.end() }
        deadline.giveUp { [body] in body.cancel() }
        let chunk: [UInt8]?
        do throws(ExchangeError) {
            chunk = try await body.next()
        } catch {
            let isLate = deadline.isLate
            throw failure(
                isLate ? "timed_out" : error.code == .truncated ? "premature_end" : error.code.rawValue,
                isLate ? "no part came within \(timeout.wholeMilliseconds) ms" : error.message)
        }
        let fault = state.withLock { state -> MultipartReader.Fault? in
            do throws(MultipartReader.Fault) {
                if let chunk {
                    let parts = try state.reader.read(chunk)
                    state.byteCount = parts.isEmpty ? state.byteCount + chunk.count : 0
                    guard state.byteCount <= 2 * DocumentServer.answerByteCountMax else { throw .tooLarge }
                    state.parts += parts
                } else {
                    state.parts += try state.reader.finish()
                    state.isEnded = true
                }
                if state.reader.isWhole { state.isEnded = true }
                return nil
            } catch {
                return error
            }
        }
        if fault != nil { throw failure("limit_exceeded", "a part is larger than 64 MiB") }
    }

    private func payload(of part: MultipartReader.Part) throws(UpstreamError) -> JSONValue {
        if let type = part.contentType, MediaType(type)?.isJSON != true {
            throw failure("content_type", "a part's Content-Type is \(type), not JSON")
        }
        // A part without a body is a heartbeat, like an empty object.
        guard part.body.contains(where: { $0 > 0x20 }) else { return .object([]) }
        do throws(JSONSyntaxError) {
            return try JSONValue(parsing: part.body)
        } catch {
            throw failure("not_graphql", "a part is no JSON: \(error)")
        }
    }
}
