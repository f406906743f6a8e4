import Foundation
import TidemarkModel

/// The holder of a token that was checked, as the rules of scopes see it.
public struct ScopeIdentity: Hashable, Sendable {
    /// The token's `sub`; nil if it has none. All tokens of an issuer without one belong to the same holder.
    public var subject: ByteString?
    /// The token's `iss`; nil if it has none.
    public var issuer: ByteString?
    /// The claims: one JSON object in which no member is repeated, as it was signed.
    public var claims: [UInt8]
    /// When the token's streams end: its `exp` with the leeway added.
    public var expiry: Date
    /// The key that signed the token.
    public var keyID: ScopeKeyID

    /// Creates an identity.
    ///
    /// - Parameters:
    ///   - subject: Who holds the token; edits and limits are counted for the issuer and the subject together.
    ///   - issuer: Who issued it.
    ///   - claims: One JSON object in which no member is repeated. Anything else opens no scope with claims in its
    ///     rules.
    ///   - expiry: When its streams end.
    ///   - keyID: The key that signed it.
    public init(subject: ByteString?, issuer: ByteString?, claims: [UInt8], expiry: Date, keyID: ScopeKeyID) {
        self.subject = subject
        self.issuer = issuer
        self.claims = claims
        self.expiry = expiry
        self.keyID = keyID
    }
}

/// One key of an authenticator. A key of the same name and another value is another key.
public struct ScopeKeyID: Hashable, Sendable {
    /// The key's name, `kid`; nil for a key without one.
    public let name: ByteString?
    /// A digest of the key's value, so that replacing a key under its name revokes the tokens of the former one.
    public let digest: [UInt8]

    /// Creates an id.
    ///
    /// - Parameters:
    ///   - name: The key's name.
    ///   - digest: A digest of its value that does not reveal it; empty if the name alone identifies the key.
    public init(name: ByteString?, digest: [UInt8] = []) {
        self.name = name
        self.digest = digest
    }
}
