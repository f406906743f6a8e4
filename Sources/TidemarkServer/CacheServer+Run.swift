import Hummingbird
import HummingbirdCore
import HTTPTypes
import Logging
import NIOCore
import ServiceLifecycle
import Synchronization
import Tidemark
import TidemarkLiveScopes
import TidemarkModel

extension CacheServer {
    /// Serves until `stop` returns, then shuts down: refuses new requests, ends streams with `bye`, and lets running
    /// responses finish.
    ///
    /// - Parameters:
    ///   - onStart: Called with the port once requests are accepted.
    ///   - stop: Returns when the server is to stop.
    ///   - close: Closes the cache, which answers the requests that still wait for it. Called when the running
    ///     responses have ended, or after ``ServerLimits/shutdownTimeout``.
    /// - Throws: The system's error when the port cannot be used.
    package func run(
        onStart: @escaping @Sendable (Int) async -> Void, until stop: @escaping @Sendable () async -> Void,
        close: @escaping @Sendable () async -> Void = {}
    ) async throws {
        let (endings, ending) = AsyncStream.makeStream(of: Ending.self)
        let group = serviceGroup(onStart)
        // Not in a task group: a waiting request must not delay the end past the limit.
        let server = Task {
            do {
                try await group.run()
                ending.yield(.server(nil))
            } catch {
                ending.yield(.server(error))
            }
        }
        let time = Task { [self] in await keepTime() }
        let watch = Task {
            await stop()
            ending.yield(.stop)
        }
        defer {
            for task in [server, time, watch] { task.cancel() }
        }
        try await withTaskCancellationHandler {
            var isClosed = false
            for await event in endings {
                switch event {
                case .stop:
                    await shutDown(group)
                    end(after: configuration.limits.shutdownTimeout, ending)
                case .late where !isClosed:
                    isClosed = true
                    await close()
                    end(after: CacheServer.lastAnswersTimeout, ending)
                case .late: return
                case .server(let error):
                    if !isClosed { await close() }
                    if let error { throw error }
                    return
                }
            }
        } onCancel: {
            ending.yield(.stop)
        }
    }

    private enum Ending: Sendable {
        case stop, late
        case server((any Error)?)
    }

    /// How long the responses to requests that the closing cache answered may take to be written: 500 ms.
    private static let lastAnswersTimeout: Duration = .milliseconds(500)

    private func end(after time: Duration, _ ending: AsyncStream<Ending>.Continuation) {
        Task { [clock = configuration.clock] in
            do throws(CancellationError) { try await clock.sleep(milliseconds: time.wholeMilliseconds) } catch {
                return
            }
            ending.yield(.late)
        }
    }

    private func serviceGroup(_ onStart: @escaping @Sendable (Int) async -> Void) -> ServiceGroup {
        ServiceGroup(
            configuration: .init(
                services: [
                    .init(
                        service: application(onStart), successTerminationBehavior: .gracefullyShutdownGroup,
                        failureTerminationBehavior: .cancelGroup)
                ], logger: quietLogger))
    }

    private func shutDown(_ group: ServiceGroup) async {
        isStopping.store(true, ordering: .releasing)
        await live?.hub.shutDown()
        await configuration.scopes?.service.endAll()
        await group.triggerGracefulShutdown()
    }

    private var quietLogger: Logger {
        var logger = configuration.logger
        logger.logLevel = max(logger.logLevel, .warning)
        return logger
    }

    private func application(_ onStart: @escaping @Sendable (Int) async -> Void) -> some ApplicationProtocol {
        let limits = configuration.limits
        let connections = connections
        let watches = ConnectionWatches(limits)
        let encryption = configuration.encryption
        return Application(
            responder: ServerResponder(server: self),
            server: HTTPServerBuilder { [self] responder in
                ServerChannel(
                    responder: responder, streams: { [self] in await respond(toStream: $0) }, limits: limits,
                    connections: connections, watches: watches, encryption: encryption)
            },
            configuration: ApplicationConfiguration(
                address: .hostname(configuration.host, port: configuration.port), backlog: 1_024),
            onServerRunning: { [self] channel in
                let port = channel.localAddress?.port ?? configuration.port
                check.withLock {
                    $0.hosts = ServedHosts(
                        host: configuration.host, port: port, allowedOrigins: configuration.allowedOrigins,
                        isEncrypted: encryption != nil)
                }
                await onStart(port)
            },
            logger: quietLogger)
    }
}

/// The context of a request, with the connection to notify before reading a request body.
struct ServerContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    let channel: any Channel

    init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        channel = source.channel
    }
}

private struct ServerResponder: HTTPResponder {
    let server: CacheServer

    func respond(to request: Request, context: ServerContext) async throws -> Response {
        await server.respond(to: request, channel: context.channel)
    }
}
