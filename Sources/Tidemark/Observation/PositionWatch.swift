import TidemarkModel
import TidemarkStore

/// The callers that wait for a position in a library's log. Bounded by the callers, each of which waits once.
struct PositionWatch {
    private struct Waiter {
        let library: ByteString
        let sequence: EventSequence
        let answer: (LibraryStatus) -> Void
    }

    private var waiters: [Waiter] = []

    var isEmpty: Bool { waiters.isEmpty }

    /// - Parameter answer: Called once: with the status in which the library's cursor has reached `sequence`, or with
    ///   the last one when no more input comes.
    mutating func wait(
        for sequence: EventSequence, of library: ByteString, _ answer: @escaping (LibraryStatus) -> Void
    ) {
        waiters.append(Waiter(library: library, sequence: sequence, answer: answer))
    }

    /// Answers the callers whose position is reached, in the order in which they came.
    ///
    /// - Complexity: O(waiting callers).
    mutating func wake(_ status: (ByteString) -> LibraryStatus) {
        waiters.removeAll { waiter in
            let status = status(waiter.library)
            guard let cursor = status.cursor, cursor >= waiter.sequence else { return false }
            waiter.answer(status)
            return true
        }
    }

    /// Answers all callers with the current status: no more input comes.
    mutating func release(_ status: (ByteString) -> LibraryStatus) {
        let released = waiters
        waiters = []
        for waiter in released { waiter.answer(status(waiter.library)) }
    }
}
