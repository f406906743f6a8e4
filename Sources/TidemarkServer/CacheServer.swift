import HTTPTypes
public import Hummingbird
import Logging
import NIOCore
import ServiceLifecycle
import Synchronization
public import Tidemark
import TidemarkGraphQL
import TidemarkHTTP
import TidemarkInspector
import TidemarkLiveViews
import TidemarkModel
import TidemarkSession

/// Serves a cache over HTTP to programs and browsers.
///
/// ```swift
/// let token = try TokenFile(path: "cache.db.token").token()
/// let configuration = CacheServerConfiguration(token: token, databasePath: "cache.db")
/// let server = CacheServer(cache, configuration: configuration)
/// try await server.run()
/// ```
///
/// The inspector, a web page for people, is at `/`. To serve the same paths from your own router, use
/// ``mount(on:hasPage:)``. Each request is checked for host, origin and token, on your own router too. The limits on
/// connections and times in ``ServerLimits`` apply only to the server's own port.
///
/// - Source: Protocol/serving.md.
public final class CacheServer: Sendable {
    let source: any MessageSource
    let live: LiveCache?
    let configuration: CacheServerConfiguration
    let connections = ConnectionCount()
    let exports = ConnectionCount()
    let isStopping = Atomic(false)
    /// Checks requests. Replaced when the server is running and the actual port is known.
    let check: Mutex<RequestCheck>

    /// Creates a server for a cache that this process writes.
    ///
    /// - Parameters:
    ///   - cache: An open cache. The server does not close it.
    ///   - configuration: The token, the address and the limits.
    public convenience init(_ cache: SyncCache, configuration: CacheServerConfiguration) {
        self.init(cache, configuration: configuration, settings: nil)
    }

    /// Creates a server for a cache that this process writes, with settings for its sessions.
    ///
    /// - Parameter settings: Settings of the sessions; nil derives them from the cache's configuration.
    package convenience init(
        _ cache: SyncCache, configuration: CacheServerConfiguration, settings: Session.Settings?
    ) {
        var settings =
            settings
            ?? CacheServer.settings(
                cache.configuration.limits, cache.configuration.defaultLibrary, logger: configuration.logger)
        settings.sendsEdits = false
        let live = LiveCache(cache, configuration: configuration, settings: settings)
        self.init(source: live, live: live, configuration: configuration)
    }

    /// Creates a read-only server for a data file that another process writes.
    ///
    /// - Parameters:
    ///   - path: An existing data file. Replaces ``CacheServerConfiguration/databasePath``.
    ///   - cacheConfiguration: The policy, the names of types and the memory limits. Eviction and excluded types are
    ///     ignored.
    ///   - configuration: The token, the address and the limits.
    package convenience init(
        reading path: String, _ cacheConfiguration: CacheConfiguration, configuration: CacheServerConfiguration
    ) {
        var cacheConfiguration = cacheConfiguration
        // A reader never removes or evicts anything, whatever options the writer was given.
        cacheConfiguration.eviction = EvictionPolicy()
        cacheConfiguration.memoryExcludedTypes = []
        cacheConfiguration.diskExcludedTypes = []
        let settings = CacheServer.settings(
            cacheConfiguration.limits, cacheConfiguration.defaultLibrary, logger: configuration.logger)
        var configuration = configuration
        configuration.databasePath = path
        self.init(
            source: FollowedFile(
                path: path, encryption: configuration.databaseEncryption, configuration: cacheConfiguration,
                settings: settings, clock: configuration.clock),
            live: nil, configuration: configuration)
    }

    /// Returns the settings of sessions that perform no HTTP requests.
    private static func settings(
        _ limits: Limits, _ defaultLibrary: ByteString, logger: Logger
    ) -> Session.Settings {
        var settings = Session.Settings(limits: limits, defaultLibrary: defaultLibrary, logger: logger)
        settings.families = [GraphQLMethods(), ViewMethods(), NetworkMethods(nil), HTTPMethods(nil)]
        return settings
    }

    init(source: any MessageSource, live: LiveCache?, configuration: CacheServerConfiguration) {
        self.source = source
        self.live = live
        self.configuration = configuration
        check = Mutex(
            RequestCheck(
                hosts: ServedHosts(
                    host: configuration.host, port: configuration.port, allowedOrigins: configuration.allowedOrigins,
                    // With a program's own router, it is unknown whether its server uses TLS.
                    isEncrypted: configuration.encryption == nil ? nil : true),
                token: configuration.token, isReadOnly: live == nil, servesScopes: configuration.scopes != nil))
    }

    /// Mounts the server on your router.
    ///
    /// Set ``CacheServerConfiguration/host`` and ``CacheServerConfiguration/port`` to those of your own server, and
    /// keep ``keepTime()`` running in a task: it ends streams whose client is gone.
    ///
    /// - Parameters:
    ///   - router: The router of your server.
    ///   - hasPage: True to mount the inspector at `/`. Pass false if you serve a page of your own there.
    public func mount<Context: RequestContext>(on router: Router<Context>, hasPage: Bool = true) {
        var paths: [RouterPath] = [
            "/rpc", "/stream", "/events", "/entities/:type", "/entities/:type/:id", "/export", "/metrics", "/healthz",
            "/recording", "/scopes", "/scopes/:name", "/scopes/:name/edits",
        ]
        if hasPage { paths += InspectorFile.allCases.map { RouterPath($0.path) } }
        let methods: [HTTPRequest.Method] = [.get, .head, .post, .put, .patch, .delete, .options]
        for path in paths {
            for method in methods {
                router.on(path, method: method) { [self] request, _ in await respond(to: request, channel: nil) }
            }
        }
    }

    /// Sends comments on idle streams and ends streams whose client is gone, until the task is cancelled.
    ///
    /// Call this only if you mount the server on your own router; ``run()`` does it for you.
    public func keepTime() async {
        await live?.begin()
        async let scopes: Void? = configuration.scopes?.keepTime()
        await live?.hub.run()
        await scopes
    }

    // MARK: Running

    /// Serves on ``CacheServerConfiguration/port`` until the task is cancelled or the program shuts down gracefully.
    ///
    /// - Throws: The system's error when the port cannot be used.
    public func run() async throws {
        try await run(onStart: { _ in }, until: { await CacheServer.waitForShutdown() })
    }

    private static func waitForShutdown() async {
        do {
            try await gracefulShutdown()
        } catch {
            // A cancellation ends the server as a shutdown does.
            return
        }
    }
}
