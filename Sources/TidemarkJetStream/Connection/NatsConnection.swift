import CNats
import TidemarkModel

/// A connection to a cluster of NATS servers, which reconnects by itself for ever.
///
/// Calls block the calling thread: they are made from threads that may wait, never from an actor.
///
/// Sendable by libnats, which locks its connections; the pointer never changes, and is freed when nobody refers to this
/// object.
package final class NatsConnection: @unchecked Sendable {
    private let handle: UnsafeMutableRawPointer
    let address: JetStreamAddress

    /// Connects to the first server that answers.
    ///
    /// - Parameter timeout: The milliseconds for one server.
    /// - Throws: ``JetStreamError``.
    package init(_ address: JetStreamAddress, timeout: Int64 = 2_000) throws(JetStreamError) {
        self.address = address
        var connection: UnsafeMutableRawPointer?
        var text = [CChar](repeating: 0, count: 256)
        let status = NatsConnection.withOptions(address, timeout) { options in
            tidemark_nats_connect(&connection, &options, &text, text.count)
        }
        guard status == Int32(TIDEMARK_NATS_OK), let connection else {
            let words = text.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } ?? "" }
            throw NatsConnection.error(status, words, address)
        }
        handle = connection
    }

    deinit { tidemark_nats_close(handle) }

    /// Whether a server is connected now.
    var isConnected: Bool { tidemark_nats_is_connected(handle) != 0 }

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
    /// - Throws: ``JetStreamError``; `.timedOut` when no answer came in time.
    func request(_ subject: String, _ body: [UInt8], timeout: Int64 = 5_000) throws(JetStreamError) -> NatsMessage {
        var message = tidemark_nats_message()
        let status = body.withUnsafeBufferPointer {
            tidemark_nats_request(&message, handle, subject, $0.baseAddress, $0.count, timeout)
        }
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
        var subscription: UnsafeMutableRawPointer?
        try check(tidemark_nats_subscribe(&subscription, handle, subject))
        guard let subscription else {
            throw JetStreamError(.refused, "libnats gave no subscription", advice: "try again")
        }
        return NatsSubscription(subscription, of: self)
    }

    /// Returns a subject that nobody else uses.
    ///
    /// - Throws: ``JetStreamError`` when memory is short.
    func newInbox() throws(JetStreamError) -> String {
        var text = [CChar](repeating: 0, count: 128)
        try check(tidemark_nats_new_inbox(&text, text.count))
        return text.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } ?? "" }
    }

    func check(_ status: Int32) throws(JetStreamError) {
        guard status != Int32(TIDEMARK_NATS_OK) else { return }
        throw NatsConnection.error(status, String(cString: tidemark_nats_text(status)), address)
    }

    private static func error(_ status: Int32, _ text: String, _ address: JetStreamAddress) -> JetStreamError {
        let servers = address.servers.joined(separator: ", ")
        switch status {
        case Int32(TIDEMARK_NATS_NO_LIBRARY):
            return JetStreamError(
                .libraryMissing, "libnats cannot be loaded",
                advice: "install it; on Debian it is the package libnats3.4")
        case Int32(TIDEMARK_NATS_AUTH_FAILED), Int32(TIDEMARK_NATS_NOT_PERMITTED):
            return JetStreamError(
                .denied, "the server at \(servers) refused the credentials or the permission",
                advice: "check the user, token, creds or nkey of the address, and the account's permissions")
        case Int32(TIDEMARK_NATS_SSL_ERROR), 8, 9:
            return JetStreamError(
                .tlsFailed, "the connection to \(servers) cannot be encrypted: \(text)",
                advice: "check tls, tls-ca, tls-cert and tls-key of the address")
        case Int32(TIDEMARK_NATS_TIMEOUT):
            return JetStreamError(.timedOut, "the server at \(servers) did not answer in time", advice: "try again")
        case Int32(TIDEMARK_NATS_NO_RESPONDERS):
            return JetStreamError(
                .noJetStream, "nobody at \(servers) answers for JetStream",
                advice: "start the server with -js, enable JetStream for the account, or wait for the cluster's leader")
        case Int32(TIDEMARK_NATS_MAX_PAYLOAD):
            return JetStreamError(
                .messageTooLarge, "the message is larger than the server admits",
                advice: "raise max_payload of the server")
        default:
            return JetStreamError(
                .noServer, "no server at \(servers) can be reached: \(text)",
                advice: "check the addresses, and that a server runs there")
        }
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
