import CNats
import Synchronization
import TidemarkModel

/// A connection to a cluster of NATS servers, which reconnects by itself for ever.
///
/// Calls block the calling thread: they are made from threads that may wait, never from an actor.
///
/// Sendable by libnats, which locks its connections; the pointer never changes, and is freed when nobody refers to this
/// object.
package final class NatsConnection: @unchecked Sendable {
    let handle: UnsafeMutableRawPointer
    let address: JetStreamAddress
    /// A subscription that has ended, which libnats' thread may still use.
    private struct Ended: @unchecked Sendable {
        // Sendable: nobody has the pointer any more but the list, which is locked.
        let handle: UnsafeMutableRawPointer
    }
    /// The subscriptions that have ended. Freed when another one begins, so usually one; bounded by `endedCountMax`.
    private let ended = Mutex<[Ended]>([])

    private static let endedCountMax = 64

    /// Connects to the first server that answers.
    ///
    /// - Parameter timeout: The milliseconds for one server.
    /// - Throws: ``JetStreamError``.
    package init(_ address: JetStreamAddress, timeout: Int64 = 2_000) throws(JetStreamError) {
        self.address = address
        try NatsConnection.checkFiles(of: address)
        var connection: UnsafeMutableRawPointer?
        var text = [CChar](repeating: 0, count: 256)
        let status = NatsConnection.withOptions(address, timeout) { options in
            tidemark_nats_connect(&connection, &options, &text, text.count)
        }
        guard status == Int32(TIDEMARK_NATS_OK), let connection else {
            let words = text.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } ?? "" }
            throw NatsConnection.failure(status, words, address)
        }
        handle = connection
    }

    deinit {
        tidemark_nats_close(handle)
        ended.withLock { ended in
            for each in ended { tidemark_nats_free_subscription(each.handle) }
        }
        tidemark_nats_destroy(handle)
    }

    /// Whether a server is connected now.
    var isConnected: Bool { tidemark_nats_is_connected(handle) != 0 }

    /// Whether the connection was given up for good, because servers refused its credentials again and again.
    var isClosed: Bool { tidemark_nats_is_closed(handle) != 0 }

    /// The number of times that the connection was lost and made again.
    var reconnectCount: Int64 { Int64(clamping: tidemark_nats_reconnects(handle)) }

    /// The bytes that a message may have, as the server said.
    var payloadByteCountMax: Int { Int(clamping: tidemark_nats_payload_byte_count_max(handle)) }

    /// Sends a message. The bytes are copied; they may wait in the connection's buffer.
    ///
    /// - Throws: ``JetStreamError``; then it was not sent.
    func publish(
        _ body: [UInt8], to subject: String, reply: String?, headers: [(name: String, value: String)] = []
    ) throws(JetStreamError) {
        let texts = headers.flatMap { [$0.name, $0.value] }
        let status = NatsConnection.withPointers(texts) { pointers in
            pointers.withUnsafeBufferPointer { pointers in
                body.withUnsafeBufferPointer { body in
                    tidemark_nats_publish(
                        handle, subject, reply, pointers.baseAddress, Int32(headers.count), body.baseAddress, body.count
                    )
                }
            }
        }
        try check(status)
    }

    /// Sends a request, and waits for its answer.
    ///
    /// - Throws: ``JetStreamError``; `.timedOut` when no answer came in time, `.notPermitted` when the server said why.
    func request(_ subject: String, _ body: [UInt8], timeout: Int64 = 5_000) throws(JetStreamError) -> NatsMessage {
        var message = tidemark_nats_message()
        let status = body.withUnsafeBufferPointer {
            tidemark_nats_request(&message, handle, subject, $0.baseAddress, $0.count, timeout)
        }
        // A server says nothing in answer to a request that is not permitted; it tells the connection.
        if status == Int32(TIDEMARK_NATS_TIMEOUT) { try checkPermission(subject) }
        try check(status)
        return NatsMessage(message)
    }

    /// Waits until the server has all that was sent.
    ///
    /// - Throws: ``JetStreamError``.
    func flush(timeout: Int64) throws(JetStreamError) { try check(tidemark_nats_flush(handle, timeout)) }

    /// Begins to receive the messages of a subject.
    ///
    /// - Throws: ``JetStreamError``.
    func subscribe(_ subject: String) throws(JetStreamError) -> NatsSubscription {
        try freeEnded()
        var subscription: UnsafeMutableRawPointer?
        try check(tidemark_nats_subscribe(&subscription, handle, subject))
        guard let subscription else {
            throw JetStreamError(.refused, "libnats gave no subscription", advice: "try again")
        }
        return NatsSubscription(subscription, of: self)
    }

    /// Ends a subscription. Its memory is freed later.
    ///
    /// libnats 3.4 frees a subscription that is destroyed, though its thread may be between looking it up and locking
    /// it (found by the address sanitizer, in one of some 1,500 connections).
    func end(_ subscription: UnsafeMutableRawPointer) {
        tidemark_nats_unsubscribe(subscription)
        let one = Ended(handle: subscription)
        ended.withLock { $0.append(one) }
    }

    /// Frees the subscriptions that have ended: once the server has answered, libnats' thread has done with what came
    /// before.
    private func freeEnded() throws(JetStreamError) {
        let waiting = ended.withLock { ended in
            defer { ended = [] }
            return ended
        }
        guard !waiting.isEmpty else { return }
        if tidemark_nats_flush(handle, 2_000) == Int32(TIDEMARK_NATS_OK) {
            for each in waiting { tidemark_nats_free_subscription(each.handle) }
            return
        }
        // The next call frees them, or the end of the connection.
        ended.withLock { $0 += waiting }
        guard waiting.count < NatsConnection.endedCountMax else {
            throw JetStreamError(.timedOut, "the server does not answer", advice: "try again")
        }
    }

    /// Returns a subject that nobody else uses.
    ///
    /// - Throws: ``JetStreamError`` when memory is short.
    func newInbox() throws(JetStreamError) -> String {
        var text = [CChar](repeating: 0, count: 128)
        try check(tidemark_nats_new_inbox(&text, text.count))
        return text.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } ?? "" }
    }

    private static func withOptions<Result>(
        _ address: JetStreamAddress, _ timeout: Int64, _ body: (inout tidemark_nats_options) -> Result
    ) -> Result {
        let servers = address.servers.map { "nats://\($0)" }
        let texts: [String?] = [
            address.user, address.password, address.token, address.credentialsFile, address.nkey, address.seedFile,
            address.tls.authorityFile, address.tls.certificateFile, address.tls.keyFile, "tidemark",
        ]
        return withPointers(servers) { servers in
            withPointers(texts.map { $0 ?? "" }) { values in
                servers.withUnsafeBufferPointer { servers in
                    func value(_ index: Int) -> UnsafePointer<CChar>? { texts[index] == nil ? nil : values[index] }
                    var options = tidemark_nats_options()
                    options.servers = servers.baseAddress
                    options.server_count = Int32(servers.count)
                    options.user = value(0)
                    options.password = value(1)
                    options.token = value(2)
                    options.credentials_file = value(3)
                    options.nkey = value(4)
                    options.nkey_seed_file = value(5)
                    options.ca_file = value(6)
                    options.certificate_file = value(7)
                    options.key_file = value(8)
                    options.name = value(9)
                    options.is_secure = address.tls.isRequired ? 1 : 0
                    options.timeout_milliseconds = timeout
                    return body(&options)
                }
            }
        }
    }

    /// Lends C strings.
    private static func withPointers<Result>(
        _ texts: [String], _ body: ([UnsafePointer<CChar>?]) -> Result
    ) -> Result {
        var bytes: [CChar] = []
        var offsets: [Int] = []
        for text in texts {
            offsets.append(bytes.count)
            bytes.append(contentsOf: text.utf8CString)
        }
        return bytes.withUnsafeBufferPointer { buffer in
            body(offsets.map { offset in buffer.baseAddress.map { $0 + offset } })
        }
    }
}
