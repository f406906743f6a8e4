import Synchronization
import TidemarkModel

/// A clock that never goes back: when the underlying clock goes back, this one continues from its last time.
///
/// Without it, a clock that was set back, between two runs or during one, would make everything written before look
/// new, and would delay every gap, for as long as the clock was set back. It orders writes; how old those are that seem
/// to come from the future nobody knows (``doubts``).
final class ForwardClock: CacheClock {
    private struct State {
        /// The last time that was returned.
        var last: Int64
        /// The milliseconds that the underlying clock lags.
        var lag: Int64 = 0
    }

    private let clock: any CacheClock
    private let state: Mutex<State>
    /// The times of earlier writes that the clock had not reached when this one was made.
    let doubts: DoubtfulTimes

    /// The latest time: later than any machine's clock, and early enough that a duration can be added: 2^60 ms, some 36
    /// million years. The earliest time is as far before 1970.
    static let timeMax: Int64 = 1 << 60
    /// The latest time of a write that is believed, whatever a file claims: 2^53 ms, some 285,000 years.
    private static let writtenMax: Int64 = 1 << 53

    /// - Parameter last: The time of the last write; nil: there was none. A value that no clock can have given is
    ///   ignored.
    init(_ clock: any CacheClock, after last: Int64?) {
        self.clock = clock
        let last = last.flatMap { (0...ForwardClock.writtenMax).contains($0) ? $0 : nil }
        let doubts = DoubtfulTimes(clock: clock.now().clamped(to: -ForwardClock.timeMax...ForwardClock.timeMax), last)
        self.doubts = doubts
        // A write of now must be told from the last one of before, where that is in doubt.
        state = Mutex(State(last: last.map { doubts.includes($0) ? $0 + 1 : $0 } ?? .min))
    }

    func now() -> Int64 {
        state.withLock { state in
            // The clock is read under the lock: otherwise two readers could take each other's times for a clock that
            // goes back.
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
