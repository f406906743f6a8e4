import TidemarkModel
import TidemarkStore

/// The callers that wait for the cursor of a library, and the observer of the cursors that are durable.
///
/// The callers are bounded by their number, each of which waits once; the observer is one at a time.
struct ProgressWatch {
    private struct Waiter {
        let library: ByteString
        let sequence: EventSequence
        let answer: (LibraryStatus) -> Void
    }

    private var waiters: [Waiter] = []
    /// The observer of durable cursors; nil when there is none.
    private var durabilityObserver: (@Sendable ([DurablePlace]) -> Void)?
    /// The durable positions that the observer was notified of last. One entry for each library.
    private var notified: [ByteString: DurablePlace] = [:]

    // MARK: Cursors

    /// Whether some caller waits for a cursor.
    var isAwaited: Bool { !waiters.isEmpty }

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

    // MARK: Durable cursors

    /// Whether durable cursors are observed.
    var observesDurability: Bool { durabilityObserver != nil }

    /// Replaces the observer of durable cursors.
    ///
    /// - Parameter places: The positions that it knows already.
    mutating func observeDurability(
        _ observer: @escaping @Sendable ([DurablePlace]) -> Void, at places: [DurablePlace]
    ) {
        durabilityObserver = observer
        notified = [:]
        for place in places { notified[place.library] = place }
    }

    /// Notifies the observer of the libraries whose durable cursors moved, unless none did.
    mutating func committed(_ places: [DurablePlace]) {
        guard let durabilityObserver else { return }
        let moved = places.filter { notified[$0.library] != $0 }
        guard !moved.isEmpty else { return }
        for place in moved { notified[place.library] = place }
        durabilityObserver(moved)
    }
}
