import Synchronization
import TidemarkModel

/// A clock that never goes back: when the underlying clock does, this one continues from its last time.
///
/// Without it, setting the machine's clock back, while the cache was closed or during a run, would make everything that
/// was written before look new, and would delay every gap by that span. The clock keeps writes in order. The age of a
/// write whose time lies in the clock's future is unknown; ``doubts`` has these times.
final class ForwardClock: CacheClock {
    private struct State {
        /// The last time that was returned.
        var last: Int64
        /// The number of milliseconds to add to the underlying clock.
        var lag: Int64 = 0
    }

    private let clock: any CacheClock
    private let state: Mutex<State>
    /// The times of earlier writes that were ahead of the underlying clock when this clock was made.
    let doubts: DoubtfulTimes

    /// The latest time that this clock returns: 2^60 ms after 1970, some 36 million years. No machine's clock is that
    /// late, and adding a duration cannot overflow. The earliest time is as far before 1970.
    static let timeMax: Int64 = 1 << 60
    /// The latest time of the last write that is accepted from a file: 2^53 ms after 1970, some 285,000 years.
    private static let writtenMax: Int64 = 1 << 53

    /// - Parameter last: The time of the last write; nil when there was none. A value that no clock can have returned
    ///   is ignored.
    init(_ clock: any CacheClock, after last: Int64?) {
        self.clock = clock
        let last = last.flatMap { (0...ForwardClock.writtenMax).contains($0) ? $0 : nil }
        let doubts = DoubtfulTimes(clock: clock.now().clamped(to: -ForwardClock.timeMax...ForwardClock.timeMax), last)
        self.doubts = doubts
        // A new write must be later than the last one, where the time of that one is in doubt.
        state = Mutex(State(last: last.map { doubts.includes($0) ? $0 + 1 : $0 } ?? .min))
    }

    func now() -> Int64 {
        state.withLock { state in
            // The clock is read under the lock. Otherwise a thread that reads early and stores late would look like a
            // clock that goes back.
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
