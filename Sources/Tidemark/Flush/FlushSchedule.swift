import TidemarkModel
import TidemarkStore

/// When flushes begin, and how a failed one is repeated.
///
/// A failed flush is written before any other, after a pause: the journal has nothing of it, and later changes depend
/// on it.
struct FlushSchedule {
    /// What a cache without a flush under way does next.
    enum Step {
        /// Acknowledge lines: nothing is unwritten.
        case acknowledge
        case begin
        case setTimer
        case none
    }

    /// How much is unwritten.
    struct Unwritten {
        var isAny: Bool
        var count: Int
        var byteCount: Int
        /// How full the bound of unwritten tombstones is, from 0 to 1.
        var tombstoneShare: Double
    }

    /// The task of the flush under way; nil when there is none. Its entities are not evicted.
    private(set) var task: Task<Void, Never>?
    /// True while the first flush has to wait, because the journal may still find damage in what it stores.
    private(set) var awaitsOpening = false
    /// The durations of flushes since the cache was opened.
    private(set) var times = FlushTimes()
    /// Changes of data beside the entities for the next flush. Bounded by the fetches under way.
    private var attachedChanges: [any AttachedChange] = []
    /// The number of commits so far.
    private(set) var commitCount = 0
    /// The last failure to write; nil while the journal works.
    private(set) var error: StorageError?
    /// The number of failed attempts since the last success.
    private var failureCount = 0
    /// The flush that could not be written; nil when there is none.
    private var failed: PendingFlush?

    var hasFailed: Bool { failed != nil }

    /// True while a flush, or an eviction in its place, runs.
    var isUnderWay: Bool { task != nil }

    var hasAttachedChanges: Bool { !attachedChanges.isEmpty }

    /// Decides what to do next.
    ///
    /// - Parameter maySetTimer: Whether no timer is set and the cache is open.
    func step(_ unwritten: Unwritten, policy: FlushPolicy, maySetTimer: Bool) -> Step {
        if failed == nil, !unwritten.isAny { return .acknowledge }
        if unwritten.count >= policy.startCount || unwritten.byteCount >= policy.byteCountMax
            || unwritten.tombstoneShare >= FlushSchedule.tombstoneShareMax
        {
            return .begin
        }
        return maySetTimer && unwritten.isAny ? .setTimer : .none
    }

    /// How full the bound of unwritten tombstones may be before a flush begins: a quarter.
    private static let tombstoneShareMax = 0.25

    /// Stores the task of a flush until ``ended()``. Only one flush runs at a time.
    mutating func began(_ task: Task<Void, Never>) {
        precondition(!isUnderWay, "a flush began during another one")
        self.task = task
    }

    mutating func ended() { task = nil }

    /// Delays the first flush until ``openingEnded()``.
    mutating func waitForOpening() { awaitsOpening = true }

    /// Records that the journal has found everything that it stores.
    mutating func openingEnded() {
        awaitsOpening = false
        error = nil
        failureCount = 0
    }

    /// Records that the journal could not find what it stores; the cache will try again.
    mutating func openingFailed(_ cause: StorageError) {
        error = cause
        failureCount += 1
    }

    /// Adds the duration of a flush to the statistics.
    mutating func record(_ duration: Duration, isCommitted: Bool) {
        times.record(duration, isCommitted: isCommitted)
    }

    /// Adds changes of data beside the entities to the next flush.
    mutating func add(_ changes: [any AttachedChange]) { attachedChanges += changes }

    /// Removes and returns the changes of data beside the entities, for the flush that begins.
    mutating func takeAttachedChanges() -> [any AttachedChange] {
        defer { attachedChanges = [] }
        return attachedChanges
    }

    /// Puts the changes of an abandoned flush before those that were added since.
    mutating func putBack(_ changes: [any AttachedChange]) { attachedChanges = changes + attachedChanges }

    /// Counts a commit.
    ///
    /// - Returns: True if it is the first one after a failure.
    mutating func committed() -> Bool {
        commitCount += 1
        defer {
            error = nil
            failureCount = 0
        }
        return error != nil
    }

    /// Records a failure, and keeps the flush.
    ///
    /// - Returns: True if this failure is new: there was none before it, or one with another code.
    mutating func failed(_ flush: PendingFlush, _ cause: StorageError) -> Bool {
        defer { error = cause }
        failureCount += 1
        failed = flush
        return error?.code != cause.code
    }

    /// Records that the journal could not be rebuilt.
    mutating func rebuildFailed(_ cause: StorageError) { error = cause }

    /// Removes and returns the failed flush, whose changes are unwritten again; nil when there is none.
    mutating func takeFailed() -> PendingFlush? {
        defer { failed = nil }
        return failed
    }

    /// The pause before the failed flush is written again, in milliseconds.
    var retryDelay: Int64 { FlushSchedule.retryDelay(afterFailures: failureCount) }

    /// Returns the pause before an access to the journal is repeated, in milliseconds: 50, doubled with each failure in
    /// a row, up to 5,000.
    static func retryDelay(afterFailures count: Int) -> Int64 { min(50 << min(max(count - 1, 0), 10), 5_000) }
}
