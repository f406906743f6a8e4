import Tidemark
import TidemarkCommand
import TidemarkServer
import TidemarkSession

/// The server of `serve`.
struct HTTPServing: CacheServing {
    func prepare(_ settings: ServingSettings) throws -> any PreparedServing {
        do throws(TokenFile.Fault) {
            let token = try TokenFile(path: settings.tokenPath).token()
            return PreparedHTTPServing(settings: settings, configuration: configuration(settings, token))
        } catch {
            throw error.isUnsafe ? Failure.unsafeToken(error.message) : Failure.noToken(error.message)
        }
    }

    private func configuration(_ settings: ServingSettings, _ token: AccessToken) -> CacheServerConfiguration {
        var configuration = CacheServerConfiguration(
            token: token, databasePath: settings.databasePath, host: settings.host, port: settings.port,
            logger: settings.logger)
        configuration.allowedOrigins = settings.allowedOrigins
        configuration.limits.connectionCountMax = settings.connectionCountMax
        configuration.limits.streamCountMax = settings.streamCountMax
        configuration.limits.headByteCountMax = settings.headByteCountMax
        configuration.limits.headTimeout = settings.headTimeout
        configuration.limits.bodyTimeout = settings.bodyTimeout
        configuration.limits.messageByteCountMax = settings.lineByteCountMax
        return configuration
    }
}

private struct PreparedHTTPServing: PreparedServing {
    let settings: ServingSettings
    let configuration: CacheServerConfiguration

    func serve(
        _ cache: SyncCache, _ session: Session.Settings, onStart: @escaping @Sendable (Int) async -> Void,
        until stop: @escaping @Sendable () async -> Void, close: @escaping @Sendable () async -> Void
    ) async throws {
        let server = CacheServer(cache, configuration: configuration, settings: session)
        do {
            try await server.run(onStart: onStart, until: stop, close: close)
        } catch let failure as Failure {
            throw failure
        } catch {
            throw Failure.cannotListen("\(settings.host):\(settings.port)", "\(error)")
        }
    }
}
