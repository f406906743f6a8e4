import Synchronization

/// Passes one answer to a single waiter.
package final class OneShotReply<Value: Sendable>: Sendable {
    private enum State {
        case open
        case waited(CheckedContinuation<Value?, Never>)
        case given(Value)
        /// The waiter has the answer, or was cancelled.
        case over
    }

    private let state = Mutex(State.open)

    /// Creates a reply without an answer.
    package init() {}

    /// Resumes the caller that waits with its answer, or keeps the answer until it waits.
    ///
    /// - Precondition: No answer was given before.
    package func answer(_ value: Value) {
        let continuation: CheckedContinuation<Value?, Never>? = state.withLock { state in
            switch state {
            case .open:
                state = .given(value)
                return nil
            case .waited(let continuation):
                state = .over
                return continuation
            case .given: preconditionFailure("a second answer was given")
            case .over: return nil
            }
        }
        continuation?.resume(returning: value)
    }

    /// Waits for the answer.
    ///
    /// - Throws: `CancellationError` when the task is cancelled; the answer is then dropped.
    package func value() async throws(CancellationError) -> Value {
        let value = await withTaskCancellationHandler {
            await withCheckedContinuation { wait($0) }
        } onCancel: {
            cancel()
        }
        guard let value else { throw CancellationError() }
        return value
    }

    private func wait(_ continuation: CheckedContinuation<Value?, Never>) {
        let (isOver, value): (Bool, Value?) = state.withLock { state in
            switch state {
            case .open:
                state = .waited(continuation)
                return (false, nil)
            case .given(let value):
                state = .over
                return (true, value)
            case .waited: preconditionFailure("two wait for one answer")
            case .over: return (true, nil)
            }
        }
        if isOver { continuation.resume(returning: value) }
    }

    private func cancel() {
        let continuation: CheckedContinuation<Value?, Never>? = state.withLock { state in
            switch state {
            case .waited(let continuation):
                state = .over
                return continuation
            case .open, .given, .over:
                state = .over
                return nil
            }
        }
        continuation?.resume(returning: nil)
    }
}
