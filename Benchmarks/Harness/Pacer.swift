import Foundation
import Synchronization

/// Times in nanoseconds, from the monotonic clock that all processes of this machine share. The numbers have 19 digits,
/// for centuries to come.
enum Moment {
    /// Returns the current time.
    static func now() -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return 1_000_000_000_000_000_000 + Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }

    /// Blocks the thread until a time.
    static func sleep(until moment: Int64) {
        while true {
            let rest = moment - now()
            if rest <= 0 { return }
            var request = timespec(tv_sec: Int(rest / 1_000_000_000), tv_nsec: Int(rest % 1_000_000_000))
            nanosleep(&request, nil)
        }
    }
}

/// Signals when each of many evenly spaced events is due, from a thread of its own. The schedule is absolute: a late
/// caller gets the next events at once, so that a pause is not hidden.
final class Pacer: Sendable {
    private struct State {
        var dueCount = 0
        var waiter: CheckedContinuation<Void, Never>?
    }

    private let state = Mutex(State())

    /// Starts the schedule. The first event is due at once.
    init(count: Int, perSecond: Int) {
        let interval = 1_000_000_000 / Int64(perSecond)
        Thread.detachNewThread { [self] in
            let start = Moment.now()
            for index in 0..<count {
                Moment.sleep(until: start + Int64(index) * interval)
                announce()
            }
        }
    }

    /// Resumes the waiting caller, or counts a due event.
    private func announce() {
        let waiter = state.withLock { state in
            if let waiter = state.waiter {
                state.waiter = nil
                return Optional(waiter)
            }
            state.dueCount += 1
            return nil
        }
        waiter?.resume()
    }

    /// Suspends until the next event is due.
    func next() async {
        await withCheckedContinuation { continuation in
            let isDue = state.withLock { state in
                guard state.dueCount > 0 else {
                    state.waiter = continuation
                    return false
                }
                state.dueCount -= 1
                return true
            }
            if isDue { continuation.resume() }
        }
    }
}
