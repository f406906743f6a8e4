import CNats

/// Messages of a subscription that are taken together, and freed together.
///
/// Sendable by its owners: only a consumer or a publisher has one, privately. These values are used by one thread, and
/// come to another one only under the lock of the input that keeps them.
///
/// libnats frees a message on a thread of its own, and wakes it for each message that is released while it sleeps.
/// Released one by one, messages cost two changes of threads each, which was a sixth of the time of reading and
/// applying (a sampled profile, 300,000 messages of 570 bytes); released in one go, some hundred of them cost as much
/// as one.
final class NatsBatch: @unchecked Sendable {
    /// The messages of a batch at most.
    private static let countMax = 512

    /// The memory for `countMax` messages, of which `count` are there.
    private var messages = [tidemark_nats_message](repeating: tidemark_nats_message(), count: NatsBatch.countMax)
    private var count = 0
    private var offset = 0

    deinit { release() }

    /// The number of messages that were taken and not yet read.
    var unreadCount: Int { count - offset }

    /// Frees the messages, and takes others.
    ///
    /// - Parameters:
    ///   - subscription: Refers to a subscription of libnats.
    ///   - timeout: The milliseconds to wait for the first one; 0 only looks.
    /// - Returns: The status of libnats; `TIDEMARK_NATS_OK` when there is one or more.
    fileprivate func fill(from subscription: UnsafeMutableRawPointer, timeout: Int64) -> Int32 {
        release()
        var taken: Int32 = 0
        let status = messages.withUnsafeMutableBufferPointer {
            tidemark_nats_take($0.baseAddress, Int32($0.count), &taken, subscription, timeout)
        }
        count = Int(taken)
        return status
    }

    /// Returns the next message, which is valid until the batch is filled again; nil when all were read.
    func next() -> NatsMessageView? {
        guard offset < count else { return nil }
        offset += 1
        return NatsMessageView(messages[offset - 1])
    }

    private func release() {
        messages.withUnsafeBufferPointer { tidemark_nats_release_all($0.baseAddress, Int32(count)) }
        (count, offset) = (0, 0)
    }
}

extension NatsSubscription {
    /// Receives the messages that wait, in place of those of a batch.
    ///
    /// - Parameter timeout: The milliseconds to wait for the first one; 0 only looks.
    /// - Returns: Whether there is one.
    /// - Throws: ``JetStreamError`` when the connection is closed for good.
    func receive(into batch: NatsBatch, timeout: Int64) throws(JetStreamError) -> Bool {
        let status = batch.fill(from: handle, timeout: timeout)
        if status == Int32(TIDEMARK_NATS_TIMEOUT) { return false }
        try connection.check(status)
        return true
    }
}
