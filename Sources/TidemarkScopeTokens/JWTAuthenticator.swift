import Foundation
import Synchronization
import TidemarkServer

/// Checks JSON Web Tokens with the keys of a file, which can be replaced while clients are connected.
///
/// 1. The token is split, and its header parsed: three parts of base64url.
/// 2. A key is chosen by `kid`, and must be for the header's `alg`.
/// 3. The signature is verified.
/// 4. Only then are the claims decoded and checked.
///
/// - Source: Protocol/scopes.md; RFC 7519; RFC 8725.
package final class JWTAuthenticator: ScopeAuthenticator {
    private let rules: TokenRules
    /// The keys in use. Written by ``replace(_:)`` alone; a check uses those that it found at its start.
    private let keys: Mutex<TokenKeySet>

    /// Creates an authenticator.
    package init(_ keys: TokenKeySet, _ rules: TokenRules = TokenRules()) {
        self.keys = Mutex(keys)
        self.rules = rules
    }

    /// Replaces the keys at once: a check that begins later uses the new ones.
    ///
    /// - Returns: The keys that are gone. Streams under them end.
    @discardableResult
    package func replace(_ new: TokenKeySet) -> Set<ScopeKeyID> {
        keys.withLock { keys in
            let gone = keys.ids.subtracting(new.ids)
            keys = new
            return gone
        }
    }

    /// Returns true if the key is among those in use, with the value that it had.
    ///
    /// `async`, as the protocol has it: in asynchronous code, a synchronous one would lose against the protocol's
    /// default.
    package func accepts(_ key: ScopeKeyID) async -> Bool {
        keys.withLock { $0.ids.contains(key) }
    }

    /// Checks a token.
    ///
    /// - Throws: ``ScopeTokenError`` for the first thing that is wrong.
    /// - Complexity: O(bearer.count), and one verification.
    package func authenticate(bearer: String, now: Date) throws(ScopeTokenError) -> ScopeIdentity {
        guard bearer.utf8.count <= rules.byteCountMax else { throw .tooLong }
        let parts = try TokenParts(Array(bearer.utf8))
        let key = try keys.withLock { $0 }.key(for: TokenHeader(parts.header))
        guard key.verifies(parts.signature, of: parts.signedText) else { throw .wrongSignature }
        guard let json = Base64URL.decoded(parts.encodedClaims) else { throw .malformed }
        let claims = try TokenClaims(json)
        return ScopeIdentity(
            subject: claims.subject, issuer: claims.issuer, claims: claims.json,
            expiry: try claims.check(rules, now: now), keyID: key.id)
    }
}
