import Tidemark

/// An endless response whose bytes the connection's event loop takes itself, see ``StreamSender``.
///
/// Releasing it releases what it reads: a response that is never written is dropped silently.
protocol SentStream: AnyObject, Sendable {
    /// What is written first.
    var beginning: [UInt8] { get }
    /// How long the client may take nothing, in place of ``ServerLimits/sendTimeout``; nil for that one.
    var sendTimeout: Duration? { get }

    /// Returns the next step of the connection.
    ///
    /// - Parameter wake: After ``SentStep/wait``, called once when a step is available. It only schedules the next
    ///   step.
    func next(wake: @escaping @Sendable () -> Void) -> SentStep

    /// Tells the source that there is room again, after a step said so.
    func tellRoom() async

    /// Calls back once something changes, while the client takes nothing.
    ///
    /// - Returns: False if the connection is to be closed at once.
    func watch(wake: @escaping @Sendable () -> Void) -> Bool
}

/// What the connection of a stream does next.
enum SentStep: Sendable {
    case wait
    case send([UInt8], hasRoom: Bool)
    /// Ends the response after these bytes.
    case end([UInt8])
    /// Closes the connection.
    case cut
}

/// The stream of notifications of one connection.
final class SentNotifications: SentStream {
    private let lease: StreamHub.Lease
    private let live: LiveCache

    init(_ lease: StreamHub.Lease, _ live: LiveCache) {
        self.lease = lease
        self.live = live
    }

    var beginning: [UInt8] { EventText.beginning(of: lease.connected) }
    var sendTimeout: Duration? { nil }

    func next(wake: @escaping @Sendable () -> Void) -> SentStep {
        switch lease.connected.stream.nextStep(lease.connected.connection, wake: wake) {
        case .wait: .wait
        case .send(let text, let hasRoom): .send(text, hasRoom: hasRoom)
        case .replaced: .end([])
        case .end(let end): .end(EventText.ending(end, of: lease.connected.stream))
        }
    }

    func tellRoom() async { await live.cache.resume(lease.connected.stream) }

    func watch(wake: @escaping @Sendable () -> Void) -> Bool { true }
}
