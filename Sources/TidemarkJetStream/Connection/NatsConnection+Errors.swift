import CNats

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The errors of a connection, each with the next action. None contains credentials.
extension NatsConnection {
    /// Throws the error for a libnats status; for a closed connection, the error that closed it.
    func check(_ status: Int32) throws(JetStreamError) {
        guard status != Int32(TIDEMARK_NATS_OK) else { return }
        if status == Int32(TIDEMARK_NATS_CONNECTION_CLOSED) {
            let last = lastError
            if last.status != Int32(TIDEMARK_NATS_OK) {
                throw NatsConnection.failure(last.status, last.text, address)
            }
        }
        throw NatsConnection.failure(status, String(cString: tidemark_nats_text(status)), address)
    }

    /// Throws if the server has denied the connection a subject, or the subscription to its responses.
    ///
    /// - Parameter subject: The subject that was used without a response, or the beginning of it.
    func checkPermission(_ subject: String) throws(JetStreamError) {
        let (status, text) = lastError
        guard status == Int32(TIDEMARK_NATS_NOT_PERMITTED), text.contains("\"\(subject)") || text.contains("\"_INBOX.")
        else { return }
        let isAnswer = text.contains("\"_INBOX.")
        throw JetStreamError(
            .notPermitted,
            "the user may not \(isAnswer ? "receive answers" : "publish to \(subject)") at \(servers)",
            advice: isAnswer
                ? "allow the user to subscribe to _INBOX.>" : "allow it in the user's permissions, or take another user"
        )
    }

    private var servers: String { address.servers.joined(separator: ", ") }

    private var lastError: (status: Int32, text: String) {
        var text = [CChar](repeating: 0, count: 512)
        let status = tidemark_nats_last_error(handle, &text, text.count)
        return (status, text.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } ?? "" })
    }

    /// Throws when a file that the address names cannot be read. libnats would report it as an unreachable server.
    static func checkFiles(of address: JetStreamAddress) throws(JetStreamError) {
        let files: [(option: String, path: String?)] = [
            ("creds", address.credentialsFile), ("seed", address.seedFile), ("tls-ca", address.tls.authorityFile),
            ("tls-cert", address.tls.certificateFile), ("tls-key", address.tls.keyFile),
        ]
        for (option, path) in files {
            guard let path, access(path, R_OK) != 0 else { continue }
            throw JetStreamError(
                .noFile, "\(path) cannot be read: \(String(cString: strerror(errno)))",
                advice: "check \(option) of the address")
        }
    }

    /// Returns the error for a libnats status and its text.
    static func failure(_ status: Int32, _ text: String, _ address: JetStreamAddress) -> JetStreamError {
        let servers = address.servers.joined(separator: ", ")
        // libnats puts the position in its source first: (conn.c:733).
        let text = text.hasPrefix("(") ? text.split(separator: "): ", maxSplits: 1).last.map(String.init) ?? text : text
        switch status {
        case Int32(TIDEMARK_NATS_NO_LIBRARY):
            return JetStreamError(
                .libraryMissing, "libnats cannot be loaded",
                advice: "install it; on Debian it is the package libnats3.4")
        case Int32(TIDEMARK_NATS_ERROR) where address.credentialsFile != nil || address.seedFile != nil:
            // The text of libnats is omitted: it may quote the file.
            return JetStreamError(
                .denied, "\(address.credentialsFile ?? address.seedFile ?? "") has no credentials that can be used",
                advice: address.seedFile != nil
                    ? "the file must hold a user's seed, SU…" : "the file must hold a user's JWT and seed")
        case Int32(TIDEMARK_NATS_AUTH_FAILED):
            return JetStreamError(
                .denied, "the server at \(servers) refused the credentials",
                advice: "check the user, token, creds or nkey of the address, and whether they have expired")
        case Int32(TIDEMARK_NATS_NOT_PERMITTED):
            return JetStreamError(
                .notPermitted, "the server at \(servers) did not permit it: \(text)",
                advice: "allow it in the user's permissions, or take another user")
        case Int32(TIDEMARK_NATS_SSL_ERROR):
            return JetStreamError(
                .tlsFailed, "the connection to \(servers) cannot be encrypted: \(text)",
                advice: "check tls-ca, tls-cert and tls-key, and that the certificate has the server's name in it")
        case Int32(TIDEMARK_NATS_TLS_NOT_OFFERED):
            return JetStreamError(
                .tlsFailed, "the server at \(servers) offers no encryption",
                advice: "give the server a certificate, or leave out tls")
        case Int32(TIDEMARK_NATS_TLS_WANTED):
            return JetStreamError(
                .tlsFailed, "the server at \(servers) demands encryption", advice: "write tls:// or tls=true")
        case Int32(TIDEMARK_NATS_PROTOCOL_ERROR), Int32(TIDEMARK_NATS_IO_ERROR):
            return JetStreamError(
                .noServer, "the server at \(servers) ended the connection before it was made",
                advice: "check that a NATS server listens there; one that verifies clients needs tls-cert and tls-key")
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
}
