import TidemarkModel
import TidemarkStore

/// The callers that wait for the cursor of a library, and the observer of the cursors that are durable.
///
/// The callers are bounded by their number, each of which waits once; the observer is one at a time.
struct ProgressWatch {
    private struct Waiter {
        /// The place in the order in which all callers came.
        let number: UInt64
        let sequence: EventSequence
        let answer: (LibraryStatus) -> Void
    }

    /// The callers of one library, in the order in which they came; never empty.
    private struct Waiters {
        var all: [Waiter]
        /// The lowest sequence that one of them waits for: below it nobody is to be answered.
        var lowest: EventSequence
    }

    private var waiters: [ByteString: Waiters] = [:]
    private var nextNumber: UInt64 = 0
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
        let waiter = Waiter(number: nextNumber, sequence: sequence, answer: answer)
        nextNumber += 1
        var waiting = waiters.removeValue(forKey: library) ?? Waiters(all: [], lowest: sequence)
        waiting.all.append(waiter)
        waiting.lowest = min(waiting.lowest, sequence)
        waiters[library] = waiting
    }

    /// Answers the callers whose position is reached, in the order in which they came.
    ///
    /// - Complexity: O(libraries that are waited for), and O(callers) for each library whose cursor reached one of
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

    /// Answers all callers with the current status: no more input comes.
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
