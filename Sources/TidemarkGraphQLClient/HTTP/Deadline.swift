import Synchronization
import Tidemark

/// A time after which something is given up.
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

    /// Begins the time.
    init(milliseconds: Int64, _ clock: any CacheClock) {
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

    /// Whether the time is over, and what was under way was given up.
    var isLate: Bool { shared.state.withLock { $0.isLate } }

    /// Sets what is done when the time is over, in place of what was set before; at once when it is over already.
    func giveUp(by action: @escaping @Sendable () -> Void) {
        let isLate = shared.state.withLock { state in
            state.giveUp = action
            return state.isLate
        }
        if isLate { action() }
    }

    /// Ends the time: nothing is given up any more.
    func end() { timer.cancel() }
}
