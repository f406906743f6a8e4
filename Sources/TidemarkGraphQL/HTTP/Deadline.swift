import Synchronization
import Tidemark

/// A time limit, after which an action ends the work under way.
///
/// - Source: Protocol/graphql.md, endpoints.
struct Deadline: Sendable {
    private final class Shared: Sendable {
        struct State {
            var isLate = false
            var giveUp: (@Sendable () -> Void)?
        }

        let state = Mutex(State())
    }

    let milliseconds: Int64
    private let shared: Shared
    private let timer: Task<Void, Never>

    /// Starts the time limit.
    init(_ limit: Duration, _ clock: any CacheClock) {
        let milliseconds = limit.wholeMilliseconds
        let shared = Shared()
        self.milliseconds = milliseconds
        self.shared = shared
        timer = Task {
            do { try await clock.sleep(milliseconds: milliseconds) } catch { return }
            let giveUp = shared.state.withLock { state in
                state.isLate = true
                return state.giveUp
            }
            giveUp?()
        }
    }

    /// True after the time limit has passed.
    var isLate: Bool { shared.state.withLock { $0.isLate } }

    /// Sets the action that runs when the time limit passes, in place of the previous one. If it has passed already,
    /// the action runs at once.
    func giveUp(by action: @escaping @Sendable () -> Void) {
        let isLate = shared.state.withLock { state in
            state.giveUp = action
            return state.isLate
        }
        if isLate { action() }
    }

    /// Stops the time limit: no action runs any more.
    func end() { timer.cancel() }
}
