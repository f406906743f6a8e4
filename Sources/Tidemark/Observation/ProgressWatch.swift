import TidemarkModel
import TidemarkStore

/// The callers that wait for a library's cursor, and the observer of durable cursors.
///
/// The waiters are bounded by the callers, each of which waits once. There is at most one observer.
struct ProgressWatch {
    private struct Waiter {
        /// The caller's place in the order in which all callers arrived.
        let number: UInt64
        let sequence: EventSequence
        let answer: (LibraryStatus) -> Void
    }

    /// The callers that wait for one library, in the order in which they arrived; never empty.
    private struct Waiters {
        var all: [Waiter]
        /// The lowest sequence that one of them waits for. Below it no caller needs an answer.
        var lowest: EventSequence
    }

    private var waiters: [ByteString: Waiters] = [:]
    private var nextNumber: UInt64 = 0
    /// The observer of durable cursors; nil when there is none.
    private var durabilityObserver: (@Sendable ([DurablePlace]) -> Void)?
    /// The positions that the observer was notified of last, with one entry for each library.
    private var notified: [ByteString: DurablePlace] = [:]

    // MARK: Cursors

    /// True if some caller waits for a cursor.
    var isAwaited: Bool { !waiters.isEmpty }

    /// Adds a caller that waits for a sequence.
    ///
    /// - Parameter answer: Called once, with the status in which the library's cursor has reached `sequence`, or with
    ///   the current one when no more input follows.
    mutating func wait(
        for sequence: EventSequence, of library: ByteString, _ answer: @escaping (LibraryStatus) -> Void
    ) {
        let waiter = Waiter(number: nextNumber, sequence: sequence, answer: answer)
        nextNumber += 1
        var waiting = waiters.removeValue(forKey: library) ?? Waiters(all: [], lowest: sequence)
        waiting.all.append(waiter)
        waiting.lowest = min(waiting.lowest, sequence)
        waiters[library] = waiting
    }

    /// Answers the callers whose sequence was reached, in the order in which they arrived.
    ///
    /// - Complexity: O(libraries that callers wait for), and O(callers) for each library whose cursor reached one of
    ///   them.
    mutating func wake(_ status: (ByteString) -> LibraryStatus) {
        var reached: [(waiter: Waiter, status: LibraryStatus)] = []
        for (library, waiting) in waiters {
            let status = status(library)
            guard let cursor = status.cursor, cursor >= waiting.lowest else { continue }
            reached += waiting.all.filter { cursor >= $0.sequence }.map { ($0, status) }
            let rest = waiting.all.filter { cursor < $0.sequence }
            waiters[library] = rest.map(\.sequence).min().map { Waiters(all: rest, lowest: $0) }
        }
        ProgressWatch.answer(reached)
    }

    /// Answers all callers with the current status, because no more input follows.
    mutating func release(_ status: (ByteString) -> LibraryStatus) {
        let released = waiters
        waiters = [:]
        ProgressWatch.answer(
            released.flatMap { library, waiting in
                let status = status(library)
                return waiting.all.map { ($0, status) }
            })
    }

    private static func answer(_ reached: [(waiter: Waiter, status: LibraryStatus)]) {
        for (waiter, status) in reached.sorted(by: { $0.waiter.number < $1.waiter.number }) { waiter.answer(status) }
    }

    // MARK: Durable cursors

    /// True if durable cursors are observed.
    var observesDurability: Bool { durabilityObserver != nil }

    /// Replaces the observer of durable cursors.
    ///
    /// - Parameter places: The positions that the observer knows already.
    mutating func observeDurability(
        _ observer: @escaping @Sendable ([DurablePlace]) -> Void, at places: [DurablePlace]
    ) {
        durabilityObserver = observer
        notified = [:]
        for place in places { notified[place.library] = place }
    }

    /// Notifies the observer of the libraries whose durable cursors moved, if any did.
    mutating func committed(_ places: [DurablePlace]) {
        guard let durabilityObserver else { return }
        let moved = places.filter { notified[$0.library] != $0 }
        guard !moved.isEmpty else { return }
        for place in moved { notified[place.library] = place }
        durabilityObserver(moved)
    }
}
