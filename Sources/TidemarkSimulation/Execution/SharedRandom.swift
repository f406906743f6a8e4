import Synchronization
import TidemarkTesting

/// Random numbers for code that takes a function. All callers share one generator.
final class SharedRandom: Sendable {
    private let state: Mutex<SeededGenerator>

    init(seed: UInt64) {
        state = Mutex(SeededGenerator(seed: seed))
    }

    func next() -> UInt64 { state.withLock { $0.next() } }
}
