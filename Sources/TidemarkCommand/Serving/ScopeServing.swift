import TidemarkHTTP
import TidemarkHTTPRules
import TidemarkModel
import TidemarkScopes

/// The scopes that a server delivers, and where the keys of their tokens are.
package struct ScopeServing: Sendable {
    /// The file, as it was at the start.
    package var file: ScopeFile
    /// The path of the file.
    package var path: String
    /// The path of the JWK Set.
    package var keyPath: String
    /// The `iss` that tokens must have; nil for any.
    package var issuer: ByteString?
    /// The name that `aud` must contain; nil refuses tokens with `aud`.
    package var audience: ByteString?
    /// How long departures are kept; nil for the default.
    package var history: Duration?
    /// The server that makes edits; nil without one.
    package var edits: HTTPURL?
    /// Reads the file anew.
    ///
    /// - Throws: ``Failure`` if it cannot be used now.
    package var read: @Sendable () throws(Failure) -> ScopeFile
}
