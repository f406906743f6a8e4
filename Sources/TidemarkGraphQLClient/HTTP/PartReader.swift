import Synchronization
import Tidemark
import TidemarkHTTP
import TidemarkHTTPRules
import TidemarkModel

/// Reads the payloads of a multipart body as they come, each with a time-out.
///
/// Heartbeats are left out. Used by one task.
final class PartReader: Sendable {
    /// An error that ends the reading.
    struct Fault: Error, Hashable, Sendable {
        /// One of the codes of exchanges, or `content_type`, `not_graphql`, `limit_exceeded`.
        var reason: String
        var message: String
    }

    private struct State {
        var reader: MultipartReader
        var parts: [MultipartReader.Part] = []
        var isEnded = false
        var isWhole = false
        var failure: String?
    }

    private let body: HTTPBody
    private let timeout: Int64
    private let clock: any CacheClock
    private let state: Mutex<State>

    init(_ body: HTTPBody, _ reader: MultipartReader, timeout: Int64, _ clock: any CacheClock) {
        self.body = body
        self.timeout = timeout
        self.clock = clock
        state = Mutex(State(reader: reader))
    }

    /// Whether the closing delimiter was read.
    var isWhole: Bool { state.withLock { $0.isWhole } }

    /// Why the reading ended with an error; nil when it did not.
    var failure: String? { state.withLock { $0.failure } }

    func cancel() { body.cancel() }

    /// Returns the next payload; nil at the end.
    func next() async throws(Fault) -> (payload: JSONValue, byteCount: Int)? {
        while true {
            if let part = state.withLock({ $0.parts.isEmpty ? nil : $0.parts.removeFirst() }) {
                if let payload = try payload(of: part) { return (payload, part.body.count) }
                continue
            }
            guard !state.withLock({ $0.isEnded }) else { return nil }
            try await readMore()
        }
    }

    private func readMore() async throws(Fault) {
        let isLate = Mutex(false)
        let watch = Task { [clock, timeout, body] in
            do { try await clock.sleep(milliseconds: timeout) } catch { return }
            isLate.withLock { $0 = true }
            body.cancel()
        }
        let chunk: [UInt8]?
        do throws(ExchangeError) {
            chunk = try await body.next()
            watch.cancel()
        } catch {
            watch.cancel()
            let isLate = isLate.withLock { $0 }
            throw fail(
                Fault(
                    reason: isLate ? "timed_out" : error.code == .truncated ? "premature_end" : error.code.rawValue,
                    message: isLate ? "no part came within \(timeout) ms" : error.message))
        }
        let fault = state.withLock { state -> MultipartReader.Fault? in
            do throws(MultipartReader.Fault) {
                if let chunk {
                    state.parts += try state.reader.read(chunk)
                } else {
                    state.parts += try state.reader.finish()
                    state.isEnded = true
                }
                state.isWhole = state.reader.isWhole
                if state.isWhole { state.isEnded = true }
                return nil
            } catch {
                return error
            }
        }
        if fault != nil { throw fail(Fault(reason: "limit_exceeded", message: "a part is larger than 64 MiB")) }
    }

    private func payload(of part: MultipartReader.Part) throws(Fault) -> JSONValue? {
        if let type = part.contentType, MediaType(type)?.isJSON != true {
            throw fail(Fault(reason: "content_type", message: "a part's Content-Type is \(type), not JSON"))
        }
        guard part.body.contains(where: { $0 > 0x20 }) else { return Optional<JSONValue>.none }
        let payload: JSONValue
        do throws(JSONSyntaxError) {
            payload = try JSONValue(parsing: part.body)
        } catch {
            throw fail(Fault(reason: "not_graphql", message: "a part is no JSON: \(error)"))
        }
        // An empty object is a heartbeat. Not in one expression: `nil` would be the JSON value null there.
        guard payload.members?.isEmpty != true else { return Optional<JSONValue>.none }
        return payload
    }

    private func fail(_ fault: Fault) -> Fault {
        state.withLock { $0.failure = "\(fault.reason): \(fault.message)" }
        return fault
    }
}
