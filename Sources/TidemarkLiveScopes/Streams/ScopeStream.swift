import Synchronization
import TidemarkModel
import TidemarkScopes

/// The lines for one client, from the engine to the client's connection.
///
/// Appending never waits. The engine writes no more once ``ScopeServingLimits/waitingByteCountMax`` wait, and goes on
/// when the connection has taken half of them: the changes meanwhile are merged.
package final class ScopeStream: Sendable {
    /// What a connection does next.
    package enum Step: Sendable {
        /// Nothing yet: the wake-up tells when.
        case wait
        /// Write these lines.
        ///
        /// - Parameter hasRoom: True if the engine is to be told that it may go on.
        case lines([ScopeLine], hasRoom: Bool)
        /// Everything was written; the response ends.
        case end
        /// The client takes nothing, or its scope is not known any more: close the connection.
        case cut
    }

    private enum End {
        case whole
        case cut
    }

    private struct State {
        /// From `first` on, those that are not taken.
        var lines: [ScopeLine] = []
        var first = 0
        var byteCount = 0
        var end: End?
        /// True if the engine waits for room.
        var isFull = false
        /// Since when the connection has taken nothing although something waits, in milliseconds; nil while nothing
        /// waits.
        var waitsSince: Int64?
        var wake: (@Sendable () -> Void)?
    }

    /// The number of the stream.
    package let id: Int
    private let roomByteCount: Int
    private let state = Mutex(State())

    init(id: Int, limits: ScopeServingLimits) {
        self.id = id
        roomByteCount = limits.waitingByteCountMax / 2
    }

    // MARK: The engine

    /// The bytes that wait.
    var byteCount: Int { state.withLock { $0.byteCount } }

    /// Appends lines.
    func append(_ lines: [ScopeLine], now: Int64) {
        change { state in
            guard state.end == nil else { return }
            if state.waitsSince == nil { state.waitsSince = now }
            state.lines += lines
            state.byteCount += lines.reduce(0) { $0 + $1.bytes.count }
            if lines.last?.isEnd == true { state.end = .whole }
        }
    }

    /// Drops what waits: rules that do not hold any more let it in. A new epoch follows.
    func drop() {
        change { state in
            guard state.end == nil else { return }
            (state.lines, state.first, state.byteCount, state.waitsSince) = ([], 0, 0, nil)
        }
    }

    /// Remembers that the engine has more than there is room for.
    func noteFull() {
        let wake = state.withLock { state in
            state.isFull = true
            // The connection may have taken everything in between.
            guard state.byteCount <= roomByteCount else { return nil as (@Sendable () -> Void)? }
            return state.wake.take()
        }
        wake?()
    }

    /// Ends the stream.
    ///
    /// - Parameter line: The last line, behind those that wait; nil drops what waits, and closes the connection.
    func finish(_ line: ScopeLine?, now: Int64) {
        change { state in
            guard state.end == nil else { return }
            if state.waitsSince == nil { state.waitsSince = now }
            guard let line else {
                (state.lines, state.first, state.byteCount, state.end) = ([], 0, 0, .cut)
                return
            }
            state.lines.append(line)
            state.byteCount += line.bytes.count
            state.end = .whole
        }
    }

    /// True if the client has taken nothing for a time.
    func isStuck(now: Int64, _ limits: ScopeServingLimits) -> Bool {
        state.withLock { state in state.waitsSince.map { now - $0 >= limits.takeMillisecondCount } ?? false }
    }

    /// Closes the connection of a client that takes nothing.
    func cut() {
        change { state in (state.lines, state.first, state.byteCount, state.end) = ([], 0, 0, .cut) }
    }

    private func change(_ body: (inout State) -> Void) {
        let wake = state.withLock { state in
            body(&state)
            return state.wake.take()
        }
        wake?()
    }

    // MARK: The connection

    /// The most bytes of one step; a longer line is taken alone.
    private static let stepByteCountMax = 64 << 10

    /// Returns what a connection does next.
    ///
    /// - Parameters:
    ///   - now: The time in milliseconds.
    ///   - wake: After ``Step/wait``, called once when there is something. It may be called on the cache's actor and
    ///     must not call this stream; it only schedules the next step.
    package func next(now: Int64, wake: @escaping @Sendable () -> Void) -> Step {
        state.withLock { state in
            if state.end == .cut { return .cut }
            guard state.first < state.lines.count else {
                if state.end != nil { return .end }
                if state.isFull {
                    state.isFull = false
                    return .lines([], hasRoom: true)
                }
                state.wake = wake
                return .wait
            }
            var taken: [ScopeLine] = []
            var byteCount = 0
            while state.first < state.lines.count,
                taken.isEmpty || byteCount + state.lines[state.first].bytes.count <= ScopeStream.stepByteCountMax
            {
                byteCount += state.lines[state.first].bytes.count
                taken.append(state.lines[state.first])
                state.first += 1
            }
            if state.first == state.lines.count { (state.lines, state.first) = ([], 0) }
            state.byteCount -= byteCount
            state.waitsSince = state.lines.isEmpty ? nil : now
            let hasRoom = state.isFull && state.byteCount <= roomByteCount
            if hasRoom { state.isFull = false }
            return .lines(taken, hasRoom: hasRoom)
        }
    }

    /// Calls back once something changes, while the connection takes nothing.
    ///
    /// - Returns: False if the connection is to be closed at once.
    package func watch(_ wake: @escaping @Sendable () -> Void) -> Bool {
        state.withLock { state in
            guard state.end != .cut else { return false }
            state.wake = wake
            return true
        }
    }

    /// Calls whoever waits, though nothing changed.
    package func wakeUp() { change { _ in } }
}
