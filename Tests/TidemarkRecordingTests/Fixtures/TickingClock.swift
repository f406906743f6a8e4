import Tidemark
import TidemarkTesting

/// A clock that moves by one millisecond with every reading: two readings in one step are never the same time.
struct TickingClock: CacheClock {
    private let clock: ManualClock

    init(_ clock: ManualClock) { self.clock = clock }

    func now() -> Int64 {
        clock.advance(milliseconds: 1)
        return clock.now()
    }

    func sleep(milliseconds: Int64) async throws(CancellationError) {
        try await clock.sleep(milliseconds: milliseconds)
    }
}
