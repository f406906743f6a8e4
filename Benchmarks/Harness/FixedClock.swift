import Synchronization
import Tidemark

/// A clock with a fixed time; sleeping takes real time.
final class FixedClock: CacheClock {
    let time: Mutex<Int64>
    private let clock = SystemClock()

    init(time: Int64) { self.time = Mutex(time) }

    func now() -> Int64 { time.withLock { $0 } }

    func sleep(milliseconds: Int64) async throws(CancellationError) {
        try await clock.sleep(milliseconds: milliseconds)
    }
}
