import Synchronization
import Tidemark
import TidemarkModel

/// A clock that stands still until a test moves it.
///
/// ```swift
/// let clock = ManualClock(now: 1_700_000_000_000)
/// let cache = try await SyncCache.inMemory(clock: clock)
/// clock.advance(by: .seconds(60))  // wakes timers of the cache that are due
/// print(clock.now(), await cache.entityCount())
/// ```
///
/// With `skipsUpTo`, a sleep of at most that length ends at once and moves the clock by its length. Short pauses then
/// cost nothing, and the test can still drive longer waits by hand.
public final class ManualClock: CacheClock {
    private struct Sleeper {
        var id: UInt64
        var deadline: Int64
        /// Resumed with true at the deadline, and with false when the task is cancelled.
        var continuation: CheckedContinuation<Bool, Never>
    }

    private struct State {
        var now: Int64
        var nextID: UInt64 = 0
        /// The sleeping tasks, which bound this array.
        var sleepers: [Sleeper] = []
        /// Sleepers that were cancelled before they began to sleep. Each is removed when it tries to.
        var cancelled: Set<UInt64> = []
    }

    private let state: Mutex<State>
    /// The longest sleep that ends at once, in milliseconds.
    private let skipsUpTo: Int64

    /// Makes a clock.
    ///
    /// - Parameters:
    ///   - now: The time at first, in milliseconds since 1970.
    ///   - skipsUpTo: The longest sleep that ends at once; with zero every sleep waits for the test.
    public convenience init(now: Int64 = 1_700_000_000_000, skipsUpTo: Duration = .zero) {
        self.init(now: now, skippedMilliseconds: skipsUpTo.wholeMilliseconds)
    }

    private init(now: Int64, skippedMilliseconds: Int64) {
        state = Mutex(State(now: now))
        skipsUpTo = skippedMilliseconds
    }

    /// Makes a clock, with the longest sleep that ends at once in milliseconds.
    package convenience init(now: Int64 = 1_700_000_000_000, skipsUpTo milliseconds: Int64) {
        self.init(now: now, skippedMilliseconds: milliseconds)
    }

    /// Returns the current time, in milliseconds since 1970.
    public func now() -> Int64 { state.withLock { $0.now } }

    /// The number of sleeping tasks.
    public var sleeperCount: Int { state.withLock { $0.sleepers.count } }

    /// The earliest moment at which a task wakes, in milliseconds since 1970; nil when no task sleeps.
    public var nextDeadline: Int64? { state.withLock { $0.sleepers.map(\.deadline).min() } }

    /// Moves the clock forward, and wakes every task whose deadline is reached, the earliest first.
    public func advance(by duration: Duration) { advance(milliseconds: duration.wholeMilliseconds) }

    /// Moves the clock forward by milliseconds, as ``advance(by:)`` does.
    package func advance(milliseconds: Int64) {
        let woken = state.withLock { state in
            state.now += milliseconds
            let due = state.sleepers.filter { $0.deadline <= state.now }
            state.sleepers.removeAll { $0.deadline <= state.now }
            return due.sorted { ($0.deadline, $0.id) < ($1.deadline, $1.id) }
        }
        for sleeper in woken { sleeper.continuation.resume(returning: true) }
    }

    /// Suspends the current task until the clock has moved forward by this time.
    ///
    /// - Throws: `CancellationError` as soon as the task is cancelled.
    public func sleep(milliseconds: Int64) async throws(CancellationError) {
        if milliseconds <= skipsUpTo {
            state.withLock { $0.now += max(0, milliseconds) }
            await Task.yield()
            if Task.isCancelled { throw CancellationError() }
            return
        }
        let id = state.withLock { state in
            state.nextID += 1
            return state.nextID
        }
        let isOver = await withTaskCancellationHandler {
            await withCheckedContinuation { fallAsleep(id, milliseconds, $0) }
        } onCancel: {
            cancel(id)
        }
        if !isOver { throw CancellationError() }
    }

    private func fallAsleep(_ id: UInt64, _ milliseconds: Int64, _ continuation: CheckedContinuation<Bool, Never>) {
        let isCancelled = state.withLock { state in
            if state.cancelled.remove(id) != nil { return true }
            state.sleepers.append(Sleeper(id: id, deadline: state.now + milliseconds, continuation: continuation))
            return false
        }
        if isCancelled { continuation.resume(returning: false) }
    }

    private func cancel(_ id: UInt64) {
        let sleeper: Sleeper? = state.withLock { state in
            guard let index = state.sleepers.firstIndex(where: { $0.id == id }) else {
                state.cancelled.insert(id)
                return nil
            }
            return state.sleepers.remove(at: index)
        }
        sleeper?.continuation.resume(returning: false)
    }
}
