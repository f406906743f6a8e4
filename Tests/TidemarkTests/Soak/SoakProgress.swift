import Synchronization

/// The progress of a soak test.
final class SoakProgress: Sendable {
    private struct State {
        var nextSeed: UInt64
        var begunCount = 0
        var sessionCount = 0
        var lineCount: Int64 = 0
        var hasFailed = false
        var toldAt = Duration.zero
    }

    private let state: Mutex<State>

    init(seed: UInt64) {
        state = Mutex(State(nextSeed: seed))
    }

    /// The number of databases whose sessions have ended.
    var sessionCount: Int { state.withLock { $0.sessionCount } }

    /// Returns the seed of another database; nil at the end, which comes after at least two.
    func next(isOver: Bool) -> UInt64? {
        state.withLock { state in
            guard !state.hasFailed, !isOver || state.begunCount < 2 else { return nil }
            state.begunCount += 1
            state.nextSeed += 1
            return state.nextSeed - 1
        }
    }

    /// Adds a finished session.
    ///
    /// - Returns: A line for people, every now and then.
    func add(_ lines: Int64, isSound: Bool, elapsed: Duration) -> String? {
        state.withLock { state in
            state.sessionCount += 1
            state.lineCount += lines
            state.hasFailed = state.hasFailed || !isSound
            guard elapsed - state.toldAt >= .seconds(20) || !isSound else { return nil }
            state.toldAt = elapsed
            return "soak: \(elapsed.components.seconds) s, \(state.sessionCount) databases, \(state.lineCount) lines, "
                + "\(isSound ? "no problem" : "failed"), next seed \(state.nextSeed)\n"
        }
    }
}
