/// The source of time for a cache.
///
/// A cache takes its clock as a parameter, so that tests can control time; ``SystemClock`` is the machine's clock.
public protocol CacheClock: Sendable {
    /// Returns the current time, in milliseconds since 1970.
    func now() -> Int64

    /// Suspends the current task for a number of milliseconds.
    ///
    /// - Throws: `CancellationError` as soon as the task is cancelled.
    func sleep(milliseconds: Int64) async throws(CancellationError)
}
