import Tidemark
import TidemarkCommand
import TidemarkRecording
import TidemarkServer
import TidemarkSession
import TidemarkServerTLS

/// Implements the `serve` command with ``CacheServer``.
struct HTTPServing: CacheServing {
    func prepare(_ settings: ServingSettings) throws -> any PreparedServing {
        // Check the certificate first: reading the token may create its file.
        let encryption = try encryption(settings.tls)
        do throws(TokenFile.Fault) {
            let token = try TokenFile(path: settings.tokenPath).token()
            var configuration = configuration(settings, token)
            configuration.encryption = encryption
            return PreparedHTTPServing(settings: settings, configuration: configuration)
        } catch {
            throw error.isUnsafe ? Failure.unsafeToken(error.message) : Failure.noToken(error.message)
        }
    }

    private func encryption(_ files: TLSFiles?) throws -> (any ConnectionEncryption)? {
        guard let files else { return nil }
        do throws(TLSIdentity.Fault) {
            return try TLSIdentity(certificatePath: files.certificatePath, keyPath: files.keyPath)
        } catch {
            throw error.isUnsafe ? Failure.unsafeKey(error.message) : .unusableCertificate(error.message)
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

    var token: String { configuration.token.text }

    func serve(
        _ cache: SyncCache, _ session: Session.Settings, _ recorder: RecordingWriter?,
        onStart: @escaping @Sendable (Int) async -> Void,
        until stop: @escaping @Sendable () async -> Void, close: @escaping @Sendable () async -> Void
    ) async throws {
        var configuration = configuration
        configuration.recorder = recorder
        let server = CacheServer(cache, configuration: configuration, settings: session)
        try await run(server, onStart: onStart, until: stop, close: close)
    }

    func serveReading(
        _ cacheConfiguration: CacheConfiguration, onStart: @escaping @Sendable (Int) async -> Void,
        until stop: @escaping @Sendable () async -> Void
    ) async throws {
        let server = CacheServer(reading: settings.databasePath, cacheConfiguration, configuration: configuration)
        try await run(server, onStart: onStart, until: stop, close: {})
    }

    private func run(
        _ server: CacheServer, onStart: @escaping @Sendable (Int) async -> Void,
        until stop: @escaping @Sendable () async -> Void, close: @escaping @Sendable () async -> Void
    ) async throws {
        do {
            try await server.run(onStart: onStart, until: stop, close: close)
        } catch let failure as Failure {
            throw failure
        } catch {
            throw Failure.cannotListen("\(settings.host):\(settings.port)", "\(error)")
        }
    }
}
