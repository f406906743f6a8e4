import Logging
import Synchronization
import Tidemark
import TidemarkJSON
import TidemarkModel
import TidemarkStore

/// The cache's calls to the host: at most ``countMax`` at a time, each with a timeout.
package final class HostCalls: Sendable {
    private struct Pending {
        var continuation: CheckedContinuation<Result<JSONSlice, UpstreamError>, Never>
        /// Ends the wait at the timeout; cancelled when the call ends earlier.
        var timer: Task<Void, Never>
    }

    private struct State {
        var nextNumber: Int64 = 1
        /// The pending calls by number. Bounded by ``HostCalls/countMax``.
        var pending: [Int64: Pending] = [:]
        /// Calls that were cancelled before they began to wait; a call is removed when it begins to wait.
        var cancelled: Set<Int64> = []
        /// The error that fails every call immediately; nil while the host can be called.
        var refusal: UpstreamError?
        /// True once the session has ended, which makes the refusal permanent.
        var isEnded = false
    }

    /// The maximum number of pending calls: 1,000. A further call fails immediately.
    package static let countMax = 1_000
    /// JSON-RPC's error code for an unknown method.
    private static let methodNotFound: Int64 = -32_601

    private let output: any CallOutput
    private let timeout: Duration
    private let clock: any CacheClock
    private let logger: Logger
    private let state = Mutex(State())

    /// Creates the calls of one session.
    ///
    /// - Parameter timeout: How long the host may take to answer.
    package init(_ output: any CallOutput, timeout: Duration, clock: any CacheClock, logger: Logger) {
        self.output = output
        self.timeout = timeout
        self.clock = clock
        self.logger = logger
    }

    /// How many calls wait for an answer.
    package var count: Int { state.withLock { $0.pending.count } }

    /// Sends the host a request and waits for its answer.
    ///
    /// - Parameter timeout: How long the host may take; nil uses the default of all calls.
    /// - Throws: ``UpstreamError`` for the host's error, a timeout, too many calls, the end of the session, or the
    ///   cancellation of the task.
    package nonisolated(nonsending) func call(
        _ method: ByteString, timeout: Duration? = nil, _ params: @Sendable (inout JSONLine) -> Void
    ) async throws(UpstreamError) -> JSONSlice {
        let number = state.withLock { state in
            defer { state.nextNumber += 1 }
            return state.nextNumber
        }
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                begin(number, method, params, timeout ?? self.timeout, continuation)
            }
        } onCancel: {
            cancel(number)
        }
        // A cancellation after the call ended leaves its number in `cancelled`.
        state.withLock { _ = $0.cancelled.remove(number) }
        return try result.get()
    }

    /// Sends the host a notification, which has no answer.
    package func notify(_ method: ByteString, _ params: (inout JSONLine) -> Void) {
        output.append(answer: MessageLine.notification(method, params))
    }

    private func begin(
        _ number: Int64, _ method: ByteString, _ params: (inout JSONLine) -> Void, _ timeout: Duration,
        _ continuation: CheckedContinuation<Result<JSONSlice, UpstreamError>, Never>
    ) {
        let refusal: UpstreamError? = state.withLock { state in
            if state.cancelled.remove(number) != nil { return HostCalls.cancellation }
            if let refusal = state.refusal { return refusal }
            if state.pending.count >= HostCalls.countMax {
                return UpstreamError(
                    "\(HostCalls.countMax) requests wait for the host's answer: it must answer some first")
            }
            let milliseconds = timeout.wholeMilliseconds
            let timer = Task { [weak self, clock] in
                do throws(CancellationError) {
                    try await clock.sleep(milliseconds: milliseconds)
                } catch {
                    return
                }
                self?.end(
                    number,
                    .failure(
                        UpstreamError("the host did not answer \(method) in \(milliseconds) ms", code: "timed_out")))
            }
            state.pending[number] = Pending(continuation: continuation, timer: timer)
            // Appended under the lock, so that whoever ends the call concurrently finds its line and can withdraw it.
            output.append(call: MessageLine.call(id: HostCalls.id(number), method, params), number: number)
            return nil
        }
        if let refusal { continuation.resume(returning: .failure(refusal)) }
    }

    /// Completes the call that a host's answer belongs to. A late, repeated or unknown answer is ignored.
    package func answer(_ answer: Message.HostResponse, to id: ByteString?) {
        guard let id, let number = HostCalls.number(id) else {
            logger.debug("an answer to \(id?.description ?? "no id") is ignored: no such request was sent")
            return
        }
        let isTaken =
            switch answer {
            case .result(let value): end(number, .success(value))
            case .error(let code, let message, let name, let retries):
                end(
                    number,
                    .failure(
                        UpstreamError(
                            "the host says: \(message)", isFinal: code == HostCalls.methodNotFound, isRefusal: true,
                            retries: retries, code: name)))
            }
        if !isTaken { logger.debug("an answer to \(id) is ignored: it came late, or twice") }
    }

    /// Fails all pending and later calls: the session has ended and the host cannot answer.
    package func close() {
        state.withLock { $0.isEnded = true }
        refuse(HostCalls.end)
    }

    /// Fails all pending calls, and later ones immediately, until ``accept()``.
    package func refuse(_ error: UpstreamError) {
        let pending = state.withLock { state in
            state.refusal = error
            defer { state.pending = [:] }
            return state.pending.sorted { $0.key < $1.key }
        }
        for (number, call) in pending { finish(number, call, .failure(error)) }
    }

    /// Allows calls again, unless the session has ended.
    package func accept() {
        state.withLock { state in
            if !state.isEnded { state.refusal = nil }
        }
    }

    private func cancel(_ number: Int64) {
        let pending: Pending? = state.withLock { state in
            guard let pending = state.pending.removeValue(forKey: number) else {
                if number < state.nextNumber { state.cancelled.insert(number) }
                return nil
            }
            return pending
        }
        if let pending { finish(number, pending, .failure(HostCalls.cancellation)) }
    }

    @discardableResult
    private func end(_ number: Int64, _ result: Result<JSONSlice, UpstreamError>) -> Bool {
        guard let pending = state.withLock({ $0.pending.removeValue(forKey: number) }) else { return false }
        finish(number, pending, result)
        return true
    }

    private func finish(_ number: Int64, _ pending: Pending, _ result: Result<JSONSlice, UpstreamError>) {
        pending.timer.cancel()
        output.withdraw(call: number)
        pending.continuation.resume(returning: result)
    }

    private static let end = UpstreamError("the session ends: the host cannot answer any more", isFinal: true)
    private static let cancellation = UpstreamError("no caller waits for the answer any more")

    private static func id(_ number: Int64) -> ByteString { ByteString("tm-\(number)") }

    private static func number(_ id: ByteString) -> Int64? {
        guard id.bytes.starts(with: Array("tm-".utf8)) else { return nil }
        return Int64(String(decoding: id.bytes.dropFirst(3), as: UTF8.self))
    }
}
