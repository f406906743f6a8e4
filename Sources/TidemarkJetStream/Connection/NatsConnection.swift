import CNats
import Synchronization
import TidemarkModel

/// A connection to a cluster of NATS servers, which reconnects by itself without a time limit.
///
/// Calls block the calling thread, so call them from threads that may wait, never from an actor.
///
/// Sendable because libnats locks its connections; the pointer never changes, and is freed when the last reference to
/// this object is gone.
package final class NatsConnection: @unchecked Sendable {
    let handle: UnsafeMutableRawPointer
    let address: JetStreamAddress
    /// A subscription that has ended, which libnats' thread may still use.
    private struct Ended: @unchecked Sendable {
        // Sendable: only the list still has the pointer, and the list is locked.
        let handle: UnsafeMutableRawPointer
    }
    /// The subscriptions that have ended. The next `subscribe` frees them, so there is usually one; bounded by
    /// `endedCountMax`.
    private let ended = Mutex<[Ended]>([])

    private static let endedCountMax = 64

    /// Connects to the first server that responds.
    ///
    /// - Parameter timeout: The limit for one server, in milliseconds.
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

    /// True while a server is connected.
    var isConnected: Bool { tidemark_nats_is_connected(handle) != 0 }

    /// True if libnats has closed the connection for good because servers refused its credentials repeatedly.
    var isClosed: Bool { tidemark_nats_is_closed(handle) != 0 }

    /// How often the connection was lost and reestablished.
    var reconnectCount: Int64 { Int64(clamping: tidemark_nats_reconnects(handle)) }

    /// The most bytes that a message may have, as announced by the server.
    var payloadByteCountMax: Int { Int(clamping: tidemark_nats_payload_byte_count_max(handle)) }

    /// Publishes a message. The bytes are copied; they may wait in the connection's buffer.
    ///
    /// - Throws: ``JetStreamError``; the message is then not sent.
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

    /// Sends a request, and waits for its response.
    ///
    /// - Parameter timeout: In milliseconds.
    /// - Throws: ``JetStreamError``; `.timedOut` without a response in time, `.notPermitted` if the server has reported
    ///   that the subject is denied.
    func request(_ subject: String, _ body: [UInt8], timeout: Int64 = 5_000) throws(JetStreamError) -> NatsMessage {
        var message = tidemark_nats_message()
        let status = body.withUnsafeBufferPointer {
            tidemark_nats_request(&message, handle, subject, $0.baseAddress, $0.count, timeout)
        }
        // A server does not respond to a request that is not permitted; it reports the denial to the connection.
        if status == Int32(TIDEMARK_NATS_TIMEOUT) { try checkPermission(subject) }
        try check(status)
        return NatsMessage(message)
    }

    /// Waits until the server has received everything that was sent.
    ///
    /// - Parameter timeout: In milliseconds.
    /// - Throws: ``JetStreamError``.
    func flush(timeout: Int64) throws(JetStreamError) { try check(tidemark_nats_flush(handle, timeout)) }

    /// Subscribes to a subject.
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

    /// Unsubscribes. ``freeEnded()`` frees the memory later.
    ///
    /// libnats 3.4 frees a subscription at once, although its own thread may be between looking it up and locking it
    /// (found by the address sanitizer, in one of some 1,500 connections).
    func end(_ subscription: UnsafeMutableRawPointer) {
        tidemark_nats_unsubscribe(subscription)
        let one = Ended(handle: subscription)
        ended.withLock { $0.append(one) }
    }

    /// Frees the subscriptions that have ended. After a flush, libnats' thread has finished everything before it.
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
        // The next call frees them, or `deinit`.
        ended.withLock { $0 += waiting }
        guard waiting.count < NatsConnection.endedCountMax else {
            throw JetStreamError(.timedOut, "the server does not answer", advice: "try again")
        }
    }

    /// Returns a new subject that nobody else uses, for responses.
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

    /// Calls a closure with the texts as C strings, which are valid during the call.
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
