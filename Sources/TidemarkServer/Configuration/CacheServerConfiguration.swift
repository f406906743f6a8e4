public import Logging
package import Tidemark
package import TidemarkRecording
public import TidemarkSQLite

/// Configures a ``CacheServer``: its token, address, limits and data file.
///
/// ```swift
/// let token = try TokenFile(path: "cache.db.token").token()
/// var configuration = CacheServerConfiguration(token: token, databasePath: "cache.db", port: 0)
/// configuration.limits.connectionCountMax = 100
/// let server = CacheServer(cache, configuration: configuration)
/// try await server.run()
/// ```
public struct CacheServerConfiguration: Sendable {
    /// The secret that requests must send.
    public var token: AccessToken
    /// The address to listen on, by default 127.0.0.1. Any other than a loopback address needs ``encryption``, or TLS
    /// in front.
    public var host: String
    /// The port to listen on, by default 7420; 0 picks a free one.
    public var port: Int
    /// The origins of other servers whose pages may use this one, such as `https://app.example`.
    public var allowedOrigins: [String] = []
    /// Encrypts connections, for example with `TLSIdentity`; nil serves plain HTTP.
    public var encryption: (any ConnectionEncryption)?
    /// The scopes that clients with tokens of their own may read; nil serves none.
    public var scopes: ScopeRoutes?
    /// The bounds on connections, requests, times and streams.
    public var limits = ServerLimits()
    /// The path of the cache's data file, from which exports are read; nil answers export requests with 404.
    public var databasePath: String?
    /// The key of the data file; nil if it is not encrypted.
    public var databaseEncryption: (any DataFileEncryption)?
    /// Receives the log of the server and its sessions.
    public var logger: Logger
    /// The recording that `GET /recording` downloads; nil if nothing is recorded.
    package var recorder: RecordingWriter?
    /// The clock for streams and timeouts.
    package var clock: any CacheClock = SystemClock()

    /// Creates a configuration with default limits.
    ///
    /// - Parameters:
    ///   - token: The secret that requests must send.
    ///   - databasePath: The path of the cache's data file; nil turns exports off.
    ///   - host: The address to listen on, by default the loopback address 127.0.0.1.
    ///   - port: The port to listen on, by default 7420; 0 picks a free one.
    ///   - logger: Receives the server's log.
    public init(
        token: AccessToken, databasePath: String? = nil, host: String = "127.0.0.1", port: Int = 7_420,
        logger: Logger = Logger(label: "tidemark.server")
    ) {
        self.token = token
        self.databasePath = databasePath
        self.host = host
        self.port = port
        self.logger = logger
    }
}
