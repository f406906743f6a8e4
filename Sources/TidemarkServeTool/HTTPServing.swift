import Logging
import Tidemark
import TidemarkCommand
import TidemarkRecording
import TidemarkScopeTokens
import TidemarkServer
import TidemarkSession
import TidemarkServerTLS

/// Implements the `serve` command with ``CacheServer``.
struct HTTPServing: CacheServing {
    func prepare(_ settings: ServingSettings) async throws -> any PreparedServing {
        // Check the other files first: reading the token may create its file.
        let encryption = try encryption(settings.tls)
        let authenticator = try await authenticator(settings.scopes)
        do throws(TokenFile.Fault) {
            let token = try TokenFile(path: settings.tokenPath).token()
            var configuration = configuration(settings, token)
            configuration.encryption = encryption
            return PreparedHTTPServing(
                settings: settings, configuration: configuration, authenticator: authenticator)
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

    private func authenticator(_ scopes: ScopeServing?) async throws -> JWTAuthenticator? {
        guard let scopes else { return nil }
        do throws(TokenKeyError) {
            return JWTAuthenticator(
                try await KeyFile(path: scopes.keyPath).keys(),
                TokenRules(issuer: scopes.issuer, audience: scopes.audience))
        } catch {
            throw Failure.badKeys(error.message, path: scopes.keyPath)
        }
    }

    private func configuration(_ settings: ServingSettings, _ token: AccessToken) -> CacheServerConfiguration {
        var configuration = CacheServerConfiguration(
            token: token, databasePath: settings.databasePath, host: settings.host, port: settings.port,
            logger: settings.logger)
        configuration.databaseEncryption = settings.encryption
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
    /// Checks the tokens of scopes' clients; nil without scopes.
    let authenticator: JWTAuthenticator?

    var token: String { configuration.token.text }

    func serve(
        _ cache: SyncCache, _ session: Session.Settings, _ recorder: RecordingWriter?,
        onStart: @escaping @Sendable (Int) async -> Void,
        until stop: @escaping @Sendable () async -> Void, close: @escaping @Sendable () async -> Void
    ) async throws {
        var configuration = configuration
        configuration.recorder = recorder
        configuration.scopes = try await ServedScopeFiles.routes(cache, settings.scopes, authenticator)
        let files = configuration.scopes.flatMap { routes in
            ServedScopeFiles(settings, routes, authenticator)
        }
        defer { files?.end() }
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
        let wanted = configuration.limits.connectionCountMax
        let allowed = OpenFileLimit.raise(forConnections: wanted)
        if allowed < wanted {
            settings.logger.warning(
                "the system allows \(allowed) connections, not \(wanted): raise this process's limit of open files")
        }
        do {
            try await server.run(onStart: onStart, until: stop, close: close)
        } catch let failure as Failure {
            throw failure
        } catch {
            throw Failure.cannotListen("\(settings.host):\(settings.port)", "\(error)")
        }
    }
}
