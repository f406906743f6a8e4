import NIOCore
import Synchronization

/// The look at the clock for all connections of one event loop.
///
/// One timer for each loop: ten thousand connections with a timer each would wake their loops ten thousand times a
/// second, and keep half a kilobyte each.
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
        // A connection that is late is closed, and removes itself meanwhile.
        for connection in Array(guards.values) { connection.check() }
    }
}

/// The watches of a server, one for each event loop.
final class ConnectionWatches: Sendable {
    private let interval: TimeAmount
    /// Bounded by the event loops of the process.
    private let watches = Mutex<[ObjectIdentifier: NIOLoopBound<ConnectionWatch>]>([:])

    /// - Parameter limits: A tenth of the shortest time is the pause between two looks, at most a second.
    init(_ limits: ServerLimits) {
        interval = .milliseconds(min(1_000, max(50, min(limits.headTimeout, limits.bodyTimeout) / 10)))
    }

    /// Returns the watch of an event loop. Called on that loop.
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
