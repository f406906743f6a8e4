import NIOCore
import Synchronization
import TidemarkModel

/// Checks the deadlines of all connections of one event loop.
///
/// One timer per loop: with a timer per connection, ten thousand connections would wake their loops ten thousand times
/// a second, and each would keep half a kilobyte.
final class ConnectionWatch {
    private let interval: TimeAmount
    /// The open connections of the loop.
    private var guards: [ObjectIdentifier: ConnectionGuard] = [:]
    private var timer: RepeatedTask?

    init(interval: TimeAmount) {
        self.interval = interval
    }

    func add(_ connection: ConnectionGuard, _ loop: any EventLoop) {
        guards[ObjectIdentifier(connection)] = connection
        guard timer == nil else { return }
        let bound = NIOLoopBound(self, eventLoop: loop)
        timer = loop.scheduleRepeatedTask(initialDelay: interval, delay: interval) { _ in bound.value.check() }
    }

    func remove(_ connection: ConnectionGuard) {
        guards[ObjectIdentifier(connection)] = nil
        guard guards.isEmpty else { return }
        timer?.cancel()
        timer = nil
    }

    private func check() {
        // Iterate over a copy: a late connection closes and removes itself from `guards`.
        for connection in Array(guards.values) { connection.check() }
    }
}

/// The watches of a server, one for each event loop.
final class ConnectionWatches: Sendable {
    private let interval: TimeAmount
    /// Bounded by the number of event loops in the process.
    private let watches = Mutex<[ObjectIdentifier: NIOLoopBound<ConnectionWatch>]>([:])

    /// Prepares a watch for each event loop.
    ///
    /// - Parameter limits: The interval between checks is a tenth of the shortest timeout, from 50 ms to 1 s.
    init(_ limits: ServerLimits) {
        interval = .milliseconds(
            min(1_000, max(50, min(limits.headTimeout, limits.bodyTimeout).wholeMilliseconds / 10)))
    }

    /// Returns the watch of an event loop. Call it on that loop.
    func watch(of loop: any EventLoop) -> ConnectionWatch {
        let bound = watches.withLock { watches in
            if let known = watches[ObjectIdentifier(loop)] { return known }
            let made = NIOLoopBound(ConnectionWatch(interval: interval), eventLoop: loop)
            watches[ObjectIdentifier(loop)] = made
            return made
        }
        return bound.value
    }
}
