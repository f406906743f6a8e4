import Logging
import Synchronization
import Tidemark
import TidemarkModel
import TidemarkStore
import TidemarkWire

/// Requests of ours that the host is to answer: at most ``countMax`` at a time, each until its timeout.
package final class HostCalls: Sendable {
    private struct Pending {
        var continuation: CheckedContinuation<Result<JSONSlice, UpstreamError>, Never>
        /// Ends the wait; cancelled by whatever ends it first.
        var timer: Task<Void, Never>
    }

    private struct State {
        var nextNumber: Int64 = 1
        /// By number. Bound: ``HostCalls/countMax``.
        var pending: [Int64: Pending] = [:]
        /// Cancelled before they began to wait; taken out when they try to.
        var cancelled: Set<Int64> = []
        /// Why every call fails at once; nil while the host can be asked.
        var refusal: UpstreamError?
        /// The session ended: the refusal stays.
        var isEnded = false
    }

    /// Past it a call fails at once.
    package static let countMax = 1_000
    /// A method that the host does not have.
    private static let methodNotFound: Int64 = -32_601

    private let outbox: Outbox
    private let timeout: Int64
    private let clock: any CacheClock
    private let logger: Logger
    private let state = Mutex(State())

    /// - Parameter timeout: How long the host may take, in milliseconds.
    package init(_ outbox: Outbox, timeout: Int64, clock: any CacheClock, logger: Logger) {
        self.outbox = outbox
        self.timeout = timeout
        self.clock = clock
        self.logger = logger
    }

    /// Requests that wait for their answer.
    package var count: Int { state.withLock { $0.pending.count } }

    /// Asks the host and waits for its answer.
    ///
    /// - Throws: ``UpstreamError``: the host's error, no answer in time, too many calls, the end of the session, or the
    ///   cancellation of the task.
    func call(_ method: ByteString, _ params: @Sendable (inout JSONLine) -> Void) async throws(UpstreamError)
        -> JSONSlice
    {
        let number = state.withLock { state in
            defer { state.nextNumber += 1 }
            return state.nextNumber
        }
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                begin(number, method, params, continuation)
            }
        } onCancel: {
            cancel(number)
        }
        // A cancellation that came after the end left its mark.
        state.withLock { _ = $0.cancelled.remove(number) }
        return try result.get()
    }

    private func begin(
        _ number: Int64, _ method: ByteString, _ params: (inout JSONLine) -> Void,
        _ continuation: CheckedContinuation<Result<JSONSlice, UpstreamError>, Never>
    ) {
        let refusal: UpstreamError? = state.withLock { state in
            if state.cancelled.remove(number) != nil { return HostCalls.cancellation }
            if let refusal = state.refusal { return refusal }
            if state.pending.count >= HostCalls.countMax {
                return UpstreamError(
                    "\(HostCalls.countMax) requests wait for the host's answer: it must answer some first")
            }
            let timer = Task { [weak self, clock, timeout] in
                do throws(CancellationError) {
                    try await clock.sleep(milliseconds: timeout)
                } catch {
                    return
                }
                self?.end(number, .failure(UpstreamError("the host did not answer \(method) in \(timeout) ms")))
            }
            state.pending[number] = Pending(continuation: continuation, timer: timer)
            // Under the lock, so that whoever ends the call finds its line to withdraw.
            outbox.append(call: MessageLine.call(id: HostCalls.id(number), method, params), number: number)
            return nil
        }
        if let refusal { continuation.resume(returning: .failure(refusal)) }
    }

    /// Takes an answer of the host. One to no pending call is passed over: it came late, or twice.
    func take(_ answer: Message.HostAnswer, to id: ByteString?) {
        guard let id, let number = HostCalls.number(id) else {
            logger.debug("an answer to \(id?.description ?? "no id") is passed over: no such request was sent")
            return
        }
        let isTaken =
            switch answer {
            case .result(let value): end(number, .success(value))
            case .error(let code, let message):
                end(
                    number,
                    .failure(UpstreamError("the host says: \(message)", isFinal: code == HostCalls.methodNotFound)))
            }
        if !isTaken { logger.debug("an answer to \(id) is passed over: it came late, or twice") }
    }

    /// The host cannot answer any more: every call fails, and every later one does at once.
    package func close() {
        state.withLock { $0.isEnded = true }
        refuse(HostCalls.end)
    }

    /// Fails every call, and every later one at once, until ``accept()``.
    func refuse(_ error: UpstreamError) {
        let pending = state.withLock { state in
            state.refusal = error
            defer { state.pending = [:] }
            return state.pending.sorted { $0.key < $1.key }
        }
        for (number, call) in pending { finish(number, call, .failure(error)) }
    }

    /// The host can be asked again, unless the session ended.
    func accept() {
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
        outbox.withdraw(call: number)
        pending.continuation.resume(returning: result)
    }

    private static let end = UpstreamError("the session ends: the host cannot answer any more", isFinal: true)
    private static let cancellation = UpstreamError("nobody waits for the answer any more")

    private static func id(_ number: Int64) -> ByteString { ByteString("tm-\(number)") }

    private static func number(_ id: ByteString) -> Int64? {
        guard id.bytes.starts(with: Array("tm-".utf8)) else { return nil }
        return Int64(String(decoding: id.bytes.dropFirst(3), as: UTF8.self))
    }
}
