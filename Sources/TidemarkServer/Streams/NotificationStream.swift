import Synchronization
import Tidemark
import TidemarkModel
import TidemarkSession

/// The notifications for one client, from the cache to the connection that the client has now.
///
/// Appending never waits: a client that reads slowly, or is gone for a moment, delays nobody. The bounds are those of
/// ``StreamState``.
final class NotificationStream: SessionOutput {
    /// The name of the stream: 128 random bits as hexadecimal digits.
    let id: String
    private let limits: ServerLimits
    /// The sender of the lines, while it waits for one.
    private enum Waiter {
        case task(CheckedContinuation<StreamState.Step?, Never>)
        /// A connection's event loop, which takes its next step when this is called.
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
        /// The sending connection, while it waits. Bounded by the one connection.
        var waiter: Waiter?
    }
    private let guarded: Mutex<Guarded>
    /// The late answers of all streams that wait.
    private let answers: StreamAnswers

    /// The bytes of one write; a longer line is written alone.
    private static let writeByteCountMax = 64 << 10

    init(id: String, limits: ServerLimits, answers: StreamAnswers) {
        self.id = id
        self.limits = limits
        self.answers = answers
        guarded = Mutex(Guarded(state: StreamState(limits: limits)))
    }

    deinit { answers.add(-guarded.withLock { $0.state.waitingAnswerByteCount }) }

    /// Takes another share of what all streams may keep.
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

    /// Appends the newest notifications of libraries: an answer is about to be written.
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
            // The stream that takes more than all of them may have ends; the others keep what they have.
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

    /// Returns at once: late answers are bounded by the end of the stream.
    func waitForRoom() async {}

    // MARK: Sending

    /// Whether the stream has ended.
    var isOver: Bool { guarded.withLock { $0.state.end != nil } }

    /// The bytes that are kept in memory.
    var byteCount: Int { guarded.withLock { $0.state.byteCount } }

    /// Makes a new connection the one that sends; see ``StreamState/attach(after:)``.
    func attach(after last: Int64) -> Int? { change { $0.attach(after: last) } }

    /// Notes that a connection is over; tells whether the stream now has none.
    func detach(_ connection: Int) -> Bool { change { $0.detach(connection) } }

    /// Returns the next step of a connection.
    ///
    /// - Parameter wake: Called once when there is another step after a ``StreamState/Step/wait``. It must not call
    ///   this stream, and it may be called within the cache's actor: it schedules the next step.
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

    /// Returns the next step of a connection when there is one to take; never ``StreamState/Step/wait``, except when
    /// the task is cancelled.
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

    /// Takes a step, or keeps the continuation until something changes.
    ///
    /// - Returns: The step; nil when the continuation is kept. The waiter of an earlier connection.
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
