import Synchronization
import Tidemark

/// The time of a recording: it stands where the replay is, and no timer ever fires, because what timers did are steps.
package final class ReplayClock: CacheClock {
    private let instant: Mutex<Int64>

    /// - Parameter instant: Milliseconds since 1970.
    package init(_ instant: Int64) {
        self.instant = Mutex(instant)
    }

    /// Moves to a step's time.
    package func set(_ instant: Int64) {
        self.instant.withLock { $0 = instant }
    }

    package func now() -> Int64 { instant.withLock { $0 } }

    /// Returns only by throwing, when its task is cancelled.
    package func sleep(milliseconds: Int64) async throws(CancellationError) {
        let (never, continuation) = AsyncStream.makeStream(of: Void.self)
        for await _ in never {}
        continuation.finish()
        throw CancellationError()
    }
}
