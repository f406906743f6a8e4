/// An error of reading from, or publishing to, a JetStream stream. Its texts hold no credentials.
public struct JetStreamError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of failure; a program decides by this.
    public enum Code: String, Sendable {
        /// The address is malformed.
        case badAddress = "bad_address"
        /// libnats is not installed.
        case libraryMissing = "library_missing"
        /// No server can be reached. A later try may succeed.
        case noServer = "no_server"
        /// The server refused the credentials, or a file holds none.
        case denied
        /// The user may not use a subject.
        case notPermitted = "not_permitted"
        /// A file that the address names cannot be read.
        case noFile = "not_found"
        /// The server's certificate, or ours, was refused.
        case tlsFailed = "tls_failed"
        /// The server, or the account, has no JetStream.
        case noJetStream = "no_jetstream"
        /// The stream does not exist.
        case noStream = "no_stream"
        /// The message does not exist.
        case noMessage = "no_message"
        /// The stream exists with another configuration.
        case differentStream = "different_stream"
        /// The stream is full and refuses messages, or the server has no resources left.
        case streamFull = "stream_full"
        /// A message is larger than the server admits.
        case messageTooLarge = "message_too_large"
        /// Another publisher writes to the same subject.
        case otherPublisher = "other_publisher"
        /// The server did not answer in time. A later try may succeed.
        case timedOut = "timed_out"
        /// The server answered with an error.
        case refused
    }

    public var code: Code
    /// A sentence part that says what failed.
    public var message: String
    /// The user's next action.
    public var advice: String

    public init(_ code: Code, _ message: String, advice: String) {
        self.code = code
        self.message = message
        self.advice = advice
    }

    /// Whether the same call may succeed later without any change.
    public var mayPass: Bool {
        switch code {
        case .noServer, .timedOut, .noJetStream, .noStream: true
        default: false
        }
    }

    public var description: String { "\(code.rawValue): \(message); \(advice)" }
}
