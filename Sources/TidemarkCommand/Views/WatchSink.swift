import Synchronization
import Tidemark
import TidemarkModel

/// Keeps the notifications of one watched view until they are printed.
///
/// At most ``countMax`` wait; the cache merges later changes until there is room, so a slow terminal or pipe costs
/// bounded memory and delays nobody else.
final class WatchSink: ObserverSink {
    private struct State {
        var lines: [[UInt8]] = []
        /// The reason why the view has ended; nil while it is observed.
        var end: [UInt8]?
    }

    private let state = Mutex(State())
    /// Yields when something waits, and ends with ``finish()``.
    let signals: AsyncStream<Void>
    private let signal: AsyncStream<Void>.Continuation
    /// Called when the view has ended by itself; must not wait.
    private let hasEnded: @Sendable () -> Void

    /// The most changes that wait: 64.
    private static let countMax = 64

    init(hasEnded: @escaping @Sendable () -> Void) {
        (signals, signal) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        self.hasEnded = hasEnded
    }

    func offer(_ notification: CacheNotification) -> Bool {
        guard state.withLock({ $0.lines.count < WatchSink.countMax }) else { return false }
        deliver(notification)
        return true
    }

    func deliver(_ notification: CacheNotification) {
        guard case .document(let document) = notification else { return }
        let isEnd = document.method == "view.ended"
        state.withLock { state in
            state.lines.append(document.params)
            if isEnd { state.end = document.params }
        }
        signal.yield()
        if isEnd { hasEnded() }
    }

    /// The changes that wait, oldest first, each with the params of its notification.
    func takeLines() -> [[UInt8]] {
        state.withLock { state in
            defer { state.lines = [] }
            return state.lines
        }
    }

    /// The params of `view.ended`; nil if the view has not ended.
    var end: [UInt8]? { state.withLock { $0.end } }

    /// Ends the signals, after those that wait.
    func finish() { signal.finish() }
}
