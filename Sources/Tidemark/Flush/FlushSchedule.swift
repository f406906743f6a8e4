import TidemarkModel
import TidemarkStore

/// The schedule of flushes: when one begins, and how one that failed is repeated.
///
/// A failed flush is written before any other, after a pause: the journal has nothing of it, and later changes build on
/// it.
struct FlushSchedule {
    /// The next step of a cache without a flush under way.
    enum Step {
        /// Lines may be acknowledged: nothing is unwritten.
        case acknowledge
        case begin
        case setTimer
        case none
    }

    /// The amount of unwritten changes.
    struct Unwritten {
        var isAny: Bool
        var count: Int
        var byteCount: Int
        /// The part of the bound of unwritten tombstones that they take, 0 to 1.
        var tombstoneShare: Double
    }

    /// The flush under way; nil when there is none. Its entities are not evicted.
    private(set) var task: Task<Void, Never>?
    /// Whether the first flush waits: the journal may still find damage in what it stores.
    private(set) var awaitsOpening = false
    /// The durations of flushes since the cache was opened.
    private(set) var times = FlushTimes()
    /// The changes of stored HTTP answers that go with the next flush. Bounded by the fetches under way.
    private var httpChanges: [HTTPChange] = []
    /// The number of commits so far.
    private(set) var commitCount = 0
    /// The last failure to write; nil while the journal works.
    private(set) var error: StorageError?
    /// The number of failed attempts since the last success.
    private var failureCount = 0
    /// The flush that could not be written.
    private var failed: PendingFlush?

    var hasFailed: Bool { failed != nil }

    /// Whether a flush, or the eviction in its place, is under way.
    var isUnderWay: Bool { task != nil }

    var hasHTTPChanges: Bool { !httpChanges.isEmpty }

    /// Decides whether a flush begins now.
    ///
    /// - Parameter maySetTimer: Whether no timer is set, and the cache is open.
    func step(_ unwritten: Unwritten, policy: FlushPolicy, maySetTimer: Bool) -> Step {
        if failed == nil, !unwritten.isAny { return .acknowledge }
        if unwritten.count >= policy.startCount || unwritten.byteCount >= policy.byteCountMax
            || unwritten.tombstoneShare >= FlushSchedule.tombstoneShareMax
        {
            return .begin
        }
        return maySetTimer && unwritten.isAny ? .setTimer : .none
    }

    /// The part of the bound of unwritten tombstones at which a flush begins: a quarter.
    private static let tombstoneShareMax = 0.25

    /// Keeps the task of a flush until ``ended()``. One flush is under way at a time.
    mutating func began(_ task: Task<Void, Never>) {
        precondition(!isUnderWay, "a flush began during another one")
        self.task = task
    }

    mutating func ended() { task = nil }

    /// Lets the first flush wait until ``openingEnded()``.
    mutating func waitForOpening() { awaitsOpening = true }

    /// Notes that the journal has found everything that it stores.
    mutating func openingEnded() {
        awaitsOpening = false
        error = nil
        failureCount = 0
    }

    /// Notes that the journal could not find what it stores; it will be asked again.
    mutating func openingFailed(_ cause: StorageError) {
        error = cause
        failureCount += 1
    }

    /// Notes how long the journal took for a flush.
    mutating func record(_ duration: Duration, isCommitted: Bool) {
        times.record(duration, isCommitted: isCommitted)
    }

    /// Adds changes of stored HTTP answers to the next flush.
    mutating func add(_ changes: [HTTPChange]) { httpChanges += changes }

    /// Removes the changes of stored HTTP answers, for the flush that begins.
    mutating func takeHTTPChanges() -> [HTTPChange] {
        defer { httpChanges = [] }
        return httpChanges
    }

    /// Puts the changes of a flush that is given up before those that came since.
    mutating func putBack(_ changes: [HTTPChange]) { httpChanges = changes + httpChanges }

    /// Notes a commit.
    ///
    /// - Returns: Whether it is the first after a failure.
    mutating func committed() -> Bool {
        commitCount += 1
        defer {
            error = nil
            failureCount = 0
        }
        return error != nil
    }

    /// Notes a failure; the flush is kept.
    ///
    /// - Returns: Whether the failure before had another cause, or there was none.
    mutating func failed(_ flush: PendingFlush, _ cause: StorageError) -> Bool {
        defer { error = cause }
        failureCount += 1
        failed = flush
        return error?.code != cause.code
    }

    /// Notes that the journal could not be rebuilt.
    mutating func rebuildFailed(_ cause: StorageError) { error = cause }

    /// Gives the failed flush up: its changes are unwritten in the state again.
    ///
    /// - Returns: The failed flush; nil when there was none.
    mutating func takeFailed() -> PendingFlush? {
        defer { failed = nil }
        return failed
    }

    /// The pause before a failed flush is written again, in milliseconds.
    var retryDelay: Int64 { FlushSchedule.retryDelay(afterFailures: failureCount) }

    /// Returns the pause before an access to the journal is repeated, in milliseconds: 50, doubled with each failure in
    /// a row up to 5,000.
    static func retryDelay(afterFailures count: Int) -> Int64 { min(50 << min(max(count - 1, 0), 10), 5_000) }
}
