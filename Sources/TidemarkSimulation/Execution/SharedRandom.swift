import Synchronization
import TidemarkTesting

/// A source of random numbers for code that takes a function.
final class SharedRandom: Sendable {
    private let state: Mutex<SeededGenerator>

    init(seed: UInt64) {
        state = Mutex(SeededGenerator(seed: seed))
    }

    func next() -> UInt64 { state.withLock { $0.next() } }
}
