/// An error while reading from a JetStream stream or publishing to it. Its texts contain no credentials.
public struct JetStreamError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of failure, for a program to decide by. Raw values are the codes of the command line.
    public enum Code: String, Sendable {
        /// The address is malformed.
        case badAddress = "bad_address"
        /// libnats is not installed.
        case libraryMissing = "library_missing"
        /// No server can be reached. A retry may succeed.
        case noServer = "no_server"
        /// The server refused the credentials, or the credentials file has none that can be used.
        case denied
        /// The user is not permitted to publish or subscribe to a subject.
        case notPermitted = "not_permitted"
        /// A file that the address names cannot be read.
        case noFile = "not_found"
        /// The connection cannot be encrypted: a certificate was refused, or only one side requires encryption.
        case tlsFailed = "tls_failed"
        /// JetStream is not enabled on the server or for the account, or no leader responds. A retry may succeed.
        case noJetStream = "no_jetstream"
        /// The stream does not exist. A retry may succeed: during an election a server may say so by mistake.
        case noStream = "no_stream"
        /// The stream has no message as requested.
        case noMessage = "no_message"
        /// The stream exists with other settings, or stores other subjects.
        case differentStream = "different_stream"
        /// The stream, the account or the server has no room for more messages.
        case streamFull = "stream_full"
        /// A message is larger than the server or the stream accepts.
        case messageTooLarge = "message_too_large"
        /// Another publisher writes to the same subject.
        case otherPublisher = "other_publisher"
        /// The server did not respond in time. A retry may succeed.
        case timedOut = "timed_out"
        /// The server responded with an error that has no code of its own here.
        case refused
    }

    /// The kind of failure.
    public var code: Code
    /// What failed, as part of a sentence: no capital letter, no full stop.
    public var message: String
    /// What the user can do next, as part of a sentence.
    public var advice: String

    /// Creates an error. Neither text may contain credentials.
    public init(_ code: Code, _ message: String, advice: String) {
        self.code = code
        self.message = message
        self.advice = advice
    }

    /// True if the same call may succeed later without any change.
    public var mayPass: Bool {
        switch code {
        case .noServer, .timedOut, .noJetStream, .noStream: true
        default: false
        }
    }

    /// Code, message and advice in one line.
    public var description: String { "\(code.rawValue): \(message); \(advice)" }
}
