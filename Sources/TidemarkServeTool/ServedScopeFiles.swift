import Logging
import Tidemark
import TidemarkCommand
import TidemarkScopeTokens
import TidemarkServer

/// The files of scopes and keys of a running server, which SIGHUP lets it read anew.
final class ServedScopeFiles {
    private let hangup: AsyncStream<Void>.Continuation
    private let task: Task<Void, Never>
    private let watch: HangupWatch

    /// Serves scopes.
    ///
    /// - Returns: nil without scopes.
    /// - Throws: ``Failure`` if they cannot be served.
    static func routes(
        _ cache: SyncCache, _ scopes: ScopeServing?, _ authenticator: JWTAuthenticator?
    ) async throws -> ScopeRoutes? {
        guard let scopes, let authenticator else { return nil }
        do throws(ScopeRoutes.Fault) {
            return try await ScopeRoutes(
                cache, scopes.file, authenticator, edits: scopes.edits.map { ScopeEditServer($0) },
                history: scopes.history)
        } catch {
            throw Failure.badKeys("the scopes cannot be served: \(error.message)", path: scopes.path)
        }
    }

    /// Begins to read the files at SIGHUP.
    init?(_ settings: ServingSettings, _ routes: ScopeRoutes, _ authenticator: JWTAuthenticator?) {
        guard let scopes = settings.scopes, let authenticator else { return nil }
        let (hangups, hangup) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        self.hangup = hangup
        task = Task { [logger = settings.logger] in
            for await _ in hangups {
                await ServedScopeFiles.readFile(scopes, routes, logger)
                await ServedScopeFiles.readKeys(scopes, routes, authenticator, logger)
            }
        }
        watch = HangupWatch { hangup.yield() }
    }

    func end() {
        watch.end()
        hangup.finish()
        task.cancel()
    }

    private static func readFile(_ scopes: ScopeServing, _ routes: ScopeRoutes, _ logger: Logger) async {
        do throws(Failure) {
            let file = try scopes.read()
            do throws(ScopeRoutes.Fault) {
                try await routes.replace(file)
                logger.notice("the file of scopes was read anew")
            } catch {
                logger.error("the file of scopes stays as it was: \(error.message)")
            }
        } catch {
            logger.error("the file of scopes stays as it was: \(error.line)")
        }
    }

    private static func readKeys(
        _ scopes: ScopeServing, _ routes: ScopeRoutes, _ authenticator: JWTAuthenticator, _ logger: Logger
    ) async {
        do throws(TokenKeyError) {
            authenticator.replace(try await KeyFile(path: scopes.keyPath).keys())
            await routes.endRevoked()
        } catch {
            logger.error("the keys of scopes stay as they were: \(error.message)")
        }
    }
}
