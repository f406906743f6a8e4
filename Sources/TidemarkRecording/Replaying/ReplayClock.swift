import Synchronization
import Tidemark

/// The clock of a replay. It returns the time of the current step, and its timers never fire, since the effects of
/// timers are recorded as steps.
package final class ReplayClock: CacheClock {
    private let instant: Mutex<Int64>

    /// Creates a clock.
    ///
    /// - Parameter instant: The initial time in milliseconds since 1970.
    package init(_ instant: Int64) {
        self.instant = Mutex(instant)
    }

    /// Sets the time, in milliseconds since 1970.
    package func set(_ instant: Int64) {
        self.instant.withLock { $0 = instant }
    }

    /// The time that was set last, in milliseconds since 1970.
    package func now() -> Int64 { instant.withLock { $0 } }

    /// Suspends until its task is cancelled, whatever the duration.
    ///
    /// - Throws: `CancellationError`, always.
    package func sleep(milliseconds: Int64) async throws(CancellationError) {
        let (never, continuation) = AsyncStream.makeStream(of: Void.self)
        for await _ in never {}
        continuation.finish()
        throw CancellationError()
    }
}
