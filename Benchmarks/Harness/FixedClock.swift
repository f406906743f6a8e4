import Synchronization
import Tidemark

/// A clock that shows the time it is set to. Sleeping takes real time.
final class FixedClock: CacheClock {
    /// The time in milliseconds since 1970.
    let time: Mutex<Int64>
    private let clock = SystemClock()

    init(time: Int64) { self.time = Mutex(time) }

    func now() -> Int64 { time.withLock { $0 } }

    func sleep(milliseconds: Int64) async throws(CancellationError) {
        try await clock.sleep(milliseconds: milliseconds)
    }
}
