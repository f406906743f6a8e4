import CNats

/// A subscription whose messages are fetched one by one. It ends with its last reference.
///
/// Sendable by libnats, which locks its subscriptions; the pointer never changes, and is freed when nobody refers to this
/// object.
final class NatsSubscription: @unchecked Sendable {
    private let handle: UnsafeMutableRawPointer
    /// Kept: a subscription must end before its connection.
    private let connection: NatsConnection

    init(_ handle: UnsafeMutableRawPointer, of connection: NatsConnection) {
        self.handle = handle
        self.connection = connection
    }

    deinit { tidemark_nats_unsubscribe(handle) }

    /// The number of messages that wait.
    var waitingCount: Int { Int(clamping: tidemark_nats_queued(handle)) }

    /// Waits for the next message.
    ///
    /// - Parameter timeout: In milliseconds.
    /// - Returns: nil when none came in time.
    /// - Throws: ``JetStreamError`` when the connection is closed for good.
    func next(timeout: Int64) throws(JetStreamError) -> NatsMessage? {
        var message = tidemark_nats_message()
        let status = tidemark_nats_next(&message, handle, timeout)
        if status == Int32(TIDEMARK_NATS_TIMEOUT) { return nil }
        try connection.check(status)
        return NatsMessage(message)
    }
}
