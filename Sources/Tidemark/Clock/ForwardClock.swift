import Synchronization
import TidemarkModel

/// A clock that never goes back: where the one behind it does, it goes on from what it said last.
///
/// A clock that was set back, between two runs or in one, would otherwise make everything written before look new, and hold
/// up every gap, for as long as it was set back.
final class ForwardClock: CacheClock {
    private struct State {
        /// What was said last.
        var last: Int64
        /// Milliseconds that the clock behind it is behind.
        var lag: Int64 = 0
    }

    private let clock: any CacheClock
    private let state: Mutex<State>

    /// Later than any machine's clock, and so early that a span can be added: 2^60 ms, some 36 million years. As much before 1970
    /// is the earliest time.
    static let timeMax: Int64 = 1 << 60
    /// Nothing was written later than this, whatever a file says: 2^53 ms, some 285,000 years.
    private static let writtenMax: Int64 = 1 << 53

    /// - Parameter last: When something was written last; nil: never. What no clock can have said is passed over.
    init(_ clock: any CacheClock, after last: Int64?) {
        self.clock = clock
        let last = last.flatMap { (0...ForwardClock.writtenMax).contains($0) ? $0 : nil }
        state = Mutex(State(last: last ?? .min))
    }

    func now() -> Int64 {
        state.withLock { state in
            // Read under the lock: two readers could otherwise take each other's times for a clock that goes back.
            let own = clock.now().clamped(to: -ForwardClock.timeMax...ForwardClock.timeMax)
            let time = min(own.addingClamped(state.lag), ForwardClock.timeMax)
            if time < state.last { state.lag = state.last - own }
            state.last = max(state.last, time)
            return state.last
        }
    }

    func sleep(milliseconds: Int64) async throws(CancellationError) {
        try await clock.sleep(milliseconds: milliseconds)
    }
}

extension Int64 {
    fileprivate func clamped(to range: ClosedRange<Int64>) -> Int64 {
        Swift.min(Swift.max(self, range.lowerBound), range.upperBound)
    }
}
