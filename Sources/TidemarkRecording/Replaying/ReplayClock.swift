import Synchronization
import Tidemark

/// The clock of a replay. It shows the time of the current step, and its timers never fire, because the effects of
/// timers are recorded as steps.
package final class ReplayClock: CacheClock {
    private let instant: Mutex<Int64>

    /// - Parameter instant: The start time in milliseconds since 1970.
    package init(_ instant: Int64) {
        self.instant = Mutex(instant)
    }

    /// Sets the clock to the time of a step.
    package func set(_ instant: Int64) {
        self.instant.withLock { $0 = instant }
    }

    package func now() -> Int64 { instant.withLock { $0 } }

    /// Never returns. It throws when its task is cancelled.
    package func sleep(milliseconds: Int64) async throws(CancellationError) {
        let (never, continuation) = AsyncStream.makeStream(of: Void.self)
        for await _ in never {}
        continuation.finish()
        throw CancellationError()
    }
}
