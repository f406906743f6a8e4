import Logging
import Tidemark
import TidemarkRecording
import TidemarkSQLite
import TidemarkSession

/// The server of `serve`. It lives in a separate executable, because most users never need it and its libraries take
/// long to build.
package protocol CacheServing: Sendable {
    /// Reads or creates the token file, and reads the TLS files and the keys of scopes.
    ///
    /// - Throws: ``Failure`` with ``ExitStatus/configuration`` if others can read a secret, with other statuses if a
    ///   file cannot be used.
    func prepare(_ settings: ServingSettings) async throws -> any PreparedServing
}

/// A server with its token, ready to open a cache.
package protocol PreparedServing: Sendable {
    /// The secret that requests must send.
    var token: String { get }

    /// Serves a cache that this process writes, until `stop` returns.
    ///
    /// - Parameters:
    ///   - cache: The open cache.
    ///   - session: The settings of its sessions.
    ///   - recorder: The recording that clients can download; nil if nothing is recorded.
    ///   - onStart: Called with the port once requests are accepted.
    ///   - stop: Returns when the server is to stop.
    ///   - close: Closes the cache; called once.
    /// - Throws: ``Failure`` if the server cannot listen on the address.
    func serve(
        _ cache: SyncCache, _ session: Session.Settings, _ recorder: RecordingWriter?,
        onStart: @escaping @Sendable (Int) async -> Void,
        until stop: @escaping @Sendable () async -> Void, close: @escaping @Sendable () async -> Void) async throws

    /// Serves a database that another process writes, until `stop` returns.
    ///
    /// - Throws: ``Failure`` if the server cannot listen on the address.
    func serveReading(
        _ configuration: CacheConfiguration, onStart: @escaping @Sendable (Int) async -> Void,
        until stop: @escaping @Sendable () async -> Void) async throws
}

/// The validated options of `serve`.
package struct ServingSettings: Sendable {
    /// The path of the database.
    package var databasePath: String
    /// The key of an encrypted database; nil for others.
    package var encryption: (any DataFileEncryption)?
    /// The address to listen on.
    package var host: String
    /// The port to listen on; 0 picks a free one.
    package var port: Int
    /// The path of the token file, which is created if it does not exist.
    package var tokenPath: String
    /// The files of the TLS certificate and its key; nil serves plain HTTP.
    package var tls: TLSFiles?
    /// The scopes to deliver; nil for none.
    package var scopes: ScopeServing?
    /// The origins of other servers whose pages may use this one.
    package var allowedOrigins: [String]
    /// The maximum number of concurrent connections.
    package var connectionCountMax: Int
    /// The maximum number of notification streams.
    package var streamCountMax: Int
    /// The maximum number of observers on all streams together.
    package var subscriptionCountMax: Int
    /// The maximum size of a request line and its header fields, in bytes.
    package var headByteCountMax: Int
    /// How long a client may take to send a request's head.
    package var headTimeout: Duration
    /// How long to wait for the next byte of a request body.
    package var bodyTimeout: Duration
    /// The maximum size of an event line, and of a message, in bytes.
    package var lineByteCountMax: Int
    /// Receives the server's log.
    package var logger: Logger
}

/// The files that prove a server's identity.
package struct TLSFiles: Hashable, Sendable {
    /// The path of the certificate chain in PEM.
    package var certificatePath: String
    /// The path of the private key in PEM.
    package var keyPath: String
}
