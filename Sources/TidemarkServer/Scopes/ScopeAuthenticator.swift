import Foundation

/// Checks the bearer tokens of clients that ask for scopes.
///
/// `tidemark-serve` checks JSON Web Tokens with the keys of a file. A program that serves scopes on its own router can
/// conform a type of its own instead, for example one that looks a session up.
public protocol ScopeAuthenticator: Sendable {
    /// Returns who holds a token.
    ///
    /// - Parameters:
    ///   - bearer: The token: what stands behind `Bearer` and one space in the `Authorization` field.
    ///   - now: The time to compare with the token's own times.
    /// - Throws: ``ScopeTokenError`` if the token opens no scope.
    func authenticate(bearer: String, now: Date) async throws(ScopeTokenError) -> ScopeIdentity

    /// Returns true if tokens under a key are still accepted.
    ///
    /// The server calls this for each connected client after it has read its keys again, and ends the streams of those
    /// whose key is gone with `token_revoked`.
    ///
    /// - Parameter key: The key of an identity that this authenticator returned.
    func accepts(_ key: ScopeKeyID) async -> Bool
}

extension ScopeAuthenticator {
    /// Returns true: without an implementation of its own, an authenticator never takes a key back.
    public func accepts(_ key: ScopeKeyID) async -> Bool { true }
}
