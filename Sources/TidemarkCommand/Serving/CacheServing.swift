import Logging
import Tidemark
import TidemarkRecording
import TidemarkSession

/// The server of `serve`: it is in an executable of its own, because most people never need it and its libraries take
/// long to build.
package protocol CacheServing: Sendable {
    /// Reads the token file, or makes it.
    ///
    /// - Throws: ``Failure`` ``ExitStatus/configuration`` when others can read it.
    func prepare(_ settings: ServingSettings) throws -> any PreparedServing
}

/// A server whose token is known, before anything is opened.
package protocol PreparedServing: Sendable {
    /// The secret that requests have to show.
    var token: String { get }

    /// Serves a cache that this process writes, until `stop` returns.
    ///
    /// - Parameters:
    ///   - recorder: The recording that can be saved; nil: nothing is recorded.
    ///   - onStart: Called with the port once requests are accepted.
    ///   - close: Closes the cache; called once.
    /// - Throws: ``Failure`` when the address cannot be listened on.
    func serve(
        _ cache: SyncCache, _ session: Session.Settings, _ recorder: RecordingWriter?,
        onStart: @escaping @Sendable (Int) async -> Void,
        until stop: @escaping @Sendable () async -> Void, close: @escaping @Sendable () async -> Void) async throws

    /// Serves the database that another process writes, until `stop` returns.
    ///
    /// - Throws: ``Failure`` when the address cannot be listened on.
    func serveReading(
        _ configuration: CacheConfiguration, onStart: @escaping @Sendable (Int) async -> Void,
        until stop: @escaping @Sendable () async -> Void) async throws
}

/// The options of `serve`, checked.
package struct ServingSettings: Sendable {
    package var databasePath: String
    package var host: String
    package var port: Int
    package var tokenPath: String
    /// The files of the certificate and of its key; nil: connections are not encrypted.
    package var tls: TLSFiles?
    package var allowedOrigins: [String]
    package var connectionCountMax: Int
    package var streamCountMax: Int
    package var subscriptionCountMax: Int
    package var headByteCountMax: Int
    package var headTimeout: Int64
    package var bodyTimeout: Int64
    package var lineByteCountMax: Int
    package var logger: Logger
}

/// The files with which a server proves its name.
package struct TLSFiles: Hashable, Sendable {
    package var certificatePath: String
    package var keyPath: String
}
