import ArgumentParser
import Tidemark
import TidemarkHTTP
import TidemarkHTTPRules
import TidemarkModel

/// Options for the scopes that a server delivers, and for the tokens that open them.
struct ScopeOptions: ParsableArguments {
    @Option(
        name: .customLong("scopes"),
        help: ArgumentHelp(
            "A file of scopes: what each client may see. Needs --jwt-keys, and is read again at SIGHUP.",
            valueName: "file"))
    var path: String?
    @Option(
        name: .customLong("jwt-keys"),
        help: ArgumentHelp(
            """
            The keys that verify the tokens of scopes' clients: a JWK Set for HS256, RS256, ES256 or EdDSA, in a file \
            that others cannot read. Read again at SIGHUP.
            """, valueName: "file"))
    var keyPath: String?
    @Option(
        name: .customLong("jwt-issuer"),
        help: ArgumentHelp("The iss that tokens must have; without it, any.", valueName: "name"))
    var issuer: String?
    @Option(
        name: .customLong("jwt-audience"),
        help: ArgumentHelp(
            "The name that a token's aud must contain; without it, tokens with aud are refused.", valueName: "name"))
    var audience: String?
    @Option(
        name: .customLong("scope-history"),
        help: ArgumentHelp(
            "How long clients are told what left while they were away, such as 24h, which is the default.",
            valueName: "duration"))
    var history: ScopeHistory?
    @Option(
        name: .customLong("edits"),
        help: ArgumentHelp(
            "The server of JSON-RPC that makes the edits of scopes' clients; without it, they cannot edit.",
            valueName: "url"),
        transform: ScopeOptions.address)
    var edits: HTTPURL?

    func validate() throws {
        if path == "" { throw ValidationError("--scopes is empty: pass a file.") }
        if keyPath == "" { throw ValidationError("--jwt-keys is empty: pass a file.") }
        if issuer == "" || audience == "" {
            throw ValidationError("--jwt-issuer or --jwt-audience is empty: pass a name.")
        }
        if path == nil, keyPath != nil || issuer != nil || audience != nil || history != nil || edits != nil {
            throw ValidationError(
                "--jwt-keys, --jwt-issuer, --jwt-audience, --scope-history and --edits are for --scopes: pass it with them."
            )
        }
    }

    /// Returns the scopes to serve; nil for none.
    ///
    /// - Throws: ``Failure`` with status 78 without keys, or if the file of scopes cannot be used.
    func serving(_ profile: CacheConfiguration.Profile?) throws(Failure) -> ScopeServing? {
        guard let path else { return nil }
        guard let keyPath else {
            throw .badKeys("--scopes needs --jwt-keys: without keys nobody could prove who asks", path: path)
        }
        return ScopeServing(
            file: try ScopeFileText.read(path, profile), path: path, keyPath: keyPath,
            issuer: issuer.map { ByteString($0) }, audience: audience.map { ByteString($0) },
            history: history?.duration, edits: edits,
            read: { () throws(Failure) in try ScopeFileText.read(path, profile) })
    }

    /// Reads the address of a server.
    private static func address(_ text: String) throws -> HTTPURL {
        do throws(HTTPURL.Fault) {
            return try HTTPURL(ByteString(text))
        } catch {
            throw ValidationError("\(error)")
        }
    }
}
