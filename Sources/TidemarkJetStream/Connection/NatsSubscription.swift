import CNats

/// A subscription that is polled for its messages. It ends with its last reference.
///
/// Sendable because libnats locks its subscriptions; the pointer never changes, and the connection frees it after the
/// last reference to this object is gone.
final class NatsSubscription: @unchecked Sendable {
    let handle: UnsafeMutableRawPointer
    /// A strong reference, because a subscription must end before its connection.
    let connection: NatsConnection

    init(_ handle: UnsafeMutableRawPointer, of connection: NatsConnection) {
        self.handle = handle
        self.connection = connection
    }

    deinit { connection.end(handle) }

    /// The number of received messages that wait to be taken.
    var waitingCount: Int { Int(clamping: tidemark_nats_queued(handle)) }
}
