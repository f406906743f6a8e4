public import Hummingbird
import HTTPTypes
import Logging
import NIOCore
import ServiceLifecycle
import Synchronization
public import Tidemark
import TidemarkInspector
import TidemarkModel
import TidemarkSession

/// A cache behind HTTP, for programs and browsers on this machine.
///
/// ```swift
/// let token = try TokenFile(path: "cache.db.token").token()
/// let cache = try await SyncCache.open(path: "cache.db")
/// let server = CacheServer(cache, configuration: CacheServerConfiguration(token: token, databasePath: "cache.db"))
/// try await server.run()
/// ```
///
/// The inspector, a page for people, is at `/`. A program with a router of its own mounts the paths there:
/// ``mount(on:)``. Every path checks the request itself: host, origin and token. The limits of connections and times
/// hold only on the server's own port.
///
/// - Source: Protocol/serving.md.
public final class CacheServer: Sendable {
    let source: any MessageSource
    let live: LiveCache?
    let configuration: CacheServerConfiguration
    let connections = ConnectionCount()
    let exports = ConnectionCount()
    let isStopping = Atomic(false)
    /// The check of requests; nil until the port is known.
    let check: Mutex<RequestCheck>

    /// Makes a server of a cache that this program writes.
    ///
    /// - Parameter cache: An open cache. The server does not close it.
    public convenience init(_ cache: SyncCache, configuration: CacheServerConfiguration) {
        self.init(cache, configuration: configuration, settings: nil)
    }

    /// - Parameter settings: The settings of the sessions; nil: those of the cache.
    package convenience init(
        _ cache: SyncCache, configuration: CacheServerConfiguration, settings: Session.Settings?
    ) {
        var settings =
            settings
            ?? Session.Settings(
                limits: cache.configuration.limits, defaultLibrary: cache.configuration.defaultLibrary,
                logger: configuration.logger)
        settings.sendsEdits = false
        let live = LiveCache(cache, configuration: configuration, settings: settings)
        self.init(source: live, live: live, configuration: configuration)
    }

    /// Makes a server that only reads, beside the process that writes the data file.
    ///
    /// - Parameters:
    ///   - path: An existing data file.
    ///   - cacheConfiguration: The policy, the names of types and the limits of memory.
    package convenience init(
        reading path: String, _ cacheConfiguration: CacheConfiguration, configuration: CacheServerConfiguration
    ) {
        var cacheConfiguration = cacheConfiguration
        // Whatever the options of a writer say, a reader removes and evicts nothing.
        cacheConfiguration.eviction = EvictionPolicy()
        cacheConfiguration.memoryExcludedTypes = []
        cacheConfiguration.diskExcludedTypes = []
        let settings = Session.Settings(
            limits: cacheConfiguration.limits, defaultLibrary: cacheConfiguration.defaultLibrary,
            logger: configuration.logger)
        var configuration = configuration
        configuration.databasePath = path
        self.init(
            source: FollowedFile(
                path: path, configuration: cacheConfiguration, settings: settings, clock: configuration.clock),
            live: nil, configuration: configuration)
    }

    init(source: any MessageSource, live: LiveCache?, configuration: CacheServerConfiguration) {
        self.source = source
        self.live = live
        self.configuration = configuration
        check = Mutex(
            RequestCheck(
                hosts: ServedHosts(
                    host: configuration.host, port: configuration.port, allowedOrigins: configuration.allowedOrigins,
                    // On a program's own router nobody says how its server speaks.
                    isEncrypted: configuration.encryption == nil ? nil : true),
                token: configuration.token, isReadOnly: live == nil))
    }

    /// Mounts the paths on a program's own router.
    ///
    /// The program sets ``CacheServerConfiguration/host`` and ``CacheServerConfiguration/port`` to those of its own
    /// server, and keeps ``keepTime()`` running: it ends streams whose client is gone.
    ///
    /// - Parameter hasPage: Whether the inspector is mounted at `/`; a program with a page of its own says no.
    public func mount<Context: RequestContext>(on router: Router<Context>, hasPage: Bool = true) {
        var paths: [RouterPath] = [
            "/rpc", "/stream", "/events", "/entities/:type", "/entities/:type/:id", "/export", "/metrics", "/healthz",
            "/recording",
        ]
        if hasPage { paths += InspectorFile.allCases.map { RouterPath($0.path) } }
        let methods: [HTTPRequest.Method] = [.get, .head, .post, .put, .patch, .delete, .options]
        for path in paths {
            for method in methods {
                router.on(path, method: method) { [self] request, _ in await respond(to: request, channel: nil) }
            }
        }
    }

    /// Sends comments on idle streams and ends those whose client is gone, until the task is cancelled.
    public func keepTime() async {
        await live?.begin()
        await live?.hub.run()
    }

    // MARK: Running

    /// Serves on the port of the configuration until the task is cancelled or the program shuts down gracefully.
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
