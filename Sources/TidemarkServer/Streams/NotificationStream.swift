import Synchronization
import Tidemark
import TidemarkMessages
import TidemarkModel
import TidemarkSession

/// The notifications for one client, from the cache to the client's current connection.
///
/// Appending never waits: a client that reads slowly, or is briefly disconnected, delays nobody. ``StreamState`` bounds
/// the memory.
final class NotificationStream: SessionOutput {
    /// The name of the stream: 128 random bits as hexadecimal digits.
    let id: String
    private let limits: ServerLimits
    /// Whoever sends the lines, while waiting for the next one.
    private enum Waiter {
        case task(CheckedContinuation<StreamState.Step?, Never>)
        /// A connection's event loop; calling this schedules its next step.
        case connection(@Sendable () -> Void)

        func wake() {
            switch self {
            case .task(let continuation): continuation.resume(returning: nil)
            case .connection(let wake): wake()
            }
        }
    }
    private struct Guarded {
        var state: StreamState
        /// The sending connection, while it waits; at most one.
        var waiter: Waiter?
    }
    private let guarded: Mutex<Guarded>
    /// The total size of unsent late answers across all streams.
    private let answers: StreamAnswers

    /// The maximum size of one write; a longer line is written alone.
    private static let writeByteCountMax = 64 << 10

    init(id: String, limits: ServerLimits, answers: StreamAnswers) {
        self.id = id
        self.limits = limits
        self.answers = answers
        guarded = Mutex(Guarded(state: StreamState(limits: limits)))
    }

    deinit { answers.add(-guarded.withLock { $0.state.waitingAnswerByteCount }) }

    /// Replaces the limits, when the stream's share of the common budget changes.
    func limit(_ limits: ServerLimits) { change { $0.limit(limits) } }

    // MARK: Appending

    func offer(_ notification: CacheNotification) -> Bool {
        let line = OutputQueue.line(of: notification)
        return change { $0.offer(line) }
    }

    func deliver(_ notification: CacheNotification) {
        let line = OutputQueue.line(of: notification)
        change { state in
            if !state.offer(line) { state.append(late: line) }
        }
    }

    func append(answer line: [UInt8]) {
        change { state in
            state.appendKept()
            state.append(late: line)
        }
    }

    func keepNewest(_ notification: KeptNotifications.Notification) {
        change { $0.keepNewest(notification) }
    }

    /// Appends the newest kept notifications; call it before an answer is written.
    func appendKept() {
        change { $0.appendKept() }
    }

    func requestComment() {
        change { $0.requestComment() }
    }

    func finish(_ end: StreamState.End) {
        change { $0.finish(end) }
    }

    @discardableResult
    private func change<Result>(_ body: (inout StreamState) -> Result) -> Result {
        let (result, waiter) = guarded.withLock { guarded in
            let before = guarded.state.waitingAnswerByteCount
            let result = body(&guarded.state)
            let added = guarded.state.waitingAnswerByteCount - before
            // If the common budget overflows, end the stream that added last; the others keep their answers.
            if answers.add(added), added > 0 {
                let own = guarded.state.waitingAnswerByteCount
                guarded.state.finish(.gone)
                answers.add(-own)
            }
            defer { guarded.waiter = nil }
            return (result, guarded.waiter)
        }
        waiter?.wake()
        return result
    }

    // MARK: Requests

    var observerRefusal: CacheError? { nil }

    var answerByteCountMax: Int { limits.lateAnswerByteCountMax }

    /// Returns at once: when too many late answers wait, the stream ends.
    func waitForRoom() async {}

    // MARK: Sending

    /// True if the stream has ended.
    var isOver: Bool { guarded.withLock { $0.state.end != nil } }

    /// The size of all lines in memory.
    var byteCount: Int { guarded.withLock { $0.state.byteCount } }

    /// Makes a new connection the sender; see ``StreamState/attach(after:)``.
    func attach(after last: Int64) -> Int? { change { $0.attach(after: last) } }

    /// Records that a connection ended; returns true if the stream now has none.
    func detach(_ connection: Int) -> Bool { change { $0.detach(connection) } }

    /// Returns the next step of a connection.
    ///
    /// - Parameter wake: After ``StreamState/Step/wait``, called once when a step is available. It may run within the
    ///   cache's actor and must not call this stream; it only schedules the next step.
    func nextStep(_ connection: Int, wake: @escaping @Sendable () -> Void) -> StreamState.Step {
        let (step, earlier) = guarded.withLock { guarded in
            let step = nextStep(connection, &guarded.state)
            guard step == .wait else { return (step, nil as Waiter?) }
            defer { guarded.waiter = .connection(wake) }
            return (step, guarded.waiter)
        }
        earlier?.wake()
        return step
    }

    /// Waits for the next step of a connection; returns ``StreamState/Step/wait`` only if the task is cancelled.
    func nextStep(_ connection: Int) async -> StreamState.Step {
        while !Task.isCancelled {
            let step: StreamState.Step? = await withTaskCancellationHandler {
                await withCheckedContinuation { continuation in
                    let (step, earlier) = stepOrWait(connection, continuation)
                    earlier?.wake()
                    if let step { continuation.resume(returning: step) }
                }
            } onCancel: {
                change { _ in }
            }
            if let step { return step }
        }
        return .wait
    }

    private func nextStep(_ connection: Int, _ state: inout StreamState) -> StreamState.Step {
        let before = state.waitingAnswerByteCount
        defer { answers.add(state.waitingAnswerByteCount - before) }
        return state.step(connection, byteCountMax: Self.writeByteCountMax)
    }

    /// Takes a step, or stores the continuation until something changes.
    ///
    /// - Returns: The step, nil when the continuation is stored; and the previous connection's waiter.
    private func stepOrWait(
        _ connection: Int, _ continuation: CheckedContinuation<StreamState.Step?, Never>
    ) -> (StreamState.Step?, Waiter?) {
        guarded.withLock { guarded in
            let step = nextStep(connection, &guarded.state)
            if step != .wait || Task.isCancelled { return (step, nil) }
            defer { guarded.waiter = .task(continuation) }
            return (nil, guarded.waiter)
        }
    }
}
