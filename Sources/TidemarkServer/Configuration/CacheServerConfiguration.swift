public import Logging
package import Tidemark
package import TidemarkRecording

/// The settings of a server.
public struct CacheServerConfiguration: Sendable {
    /// The secret that requests have to show.
    public var token: AccessToken
    /// The address to listen on. Any other than a loopback address needs ``encryption``, or TLS in front.
    public var host: String
    /// The port to listen on; 0 takes a free one.
    public var port: Int
    /// The origins of pages of other servers that may use this one, as `https://app.example`.
    public var allowedOrigins: [String] = []
    /// The encryption of connections; nil: they are not encrypted.
    public var encryption: (any ConnectionEncryption)?
    public var limits = ServerLimits()
    /// The cache's data file, of which exports are made; nil: the path of exports answers 404.
    public var databasePath: String?
    public var logger: Logger
    /// The recording that the page can save; nil: nothing is recorded.
    package var recorder: RecordingWriter?
    /// The clock of streams and pauses.
    package var clock: any CacheClock = SystemClock()

    /// - Parameters:
    ///   - host: By default the loopback address 127.0.0.1.
    ///   - port: By default 7420.
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
