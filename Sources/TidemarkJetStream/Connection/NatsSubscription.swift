import CNats

/// A subscription whose messages are fetched. It ends with its last reference.
///
/// Sendable by libnats, which locks its subscriptions; the pointer never changes, and is freed by the connection after
/// nobody refers to this object any more.
final class NatsSubscription: @unchecked Sendable {
    let handle: UnsafeMutableRawPointer
    /// Kept: a subscription must end before its connection.
    let connection: NatsConnection

    init(_ handle: UnsafeMutableRawPointer, of connection: NatsConnection) {
        self.handle = handle
        self.connection = connection
    }

    deinit { connection.end(handle) }

    /// The number of messages that wait.
    var waitingCount: Int { Int(clamping: tidemark_nats_queued(handle)) }
}
