/// Why a token opens no scope.
///
/// The text for the client says no more about a token whose signature was not verified than that it is refused. Of a
/// token that is genuine it says what is wrong, since its holder can read the token anyway.
public enum ScopeTokenError: Error, Hashable, Sendable, CaseIterable {
    /// The token is longer than any header may be.
    case tooLong
    /// The token is not three parts of base64url that hold JSON objects without repeated members, or a member has a
    /// value of the wrong kind.
    case malformed
    /// The token names `none` or an algorithm that is not supported, an extension that must be understood, or another
    /// type of token.
    case unsupported
    /// No key has the token's `kid` and algorithm, or the token has no `kid` although there are several keys.
    case unknownKey
    /// The signature was not made with the key.
    case wrongSignature
    /// The token is genuine and over, or has no `exp`.
    case expired
    /// The token is genuine, and its `nbf` has not been reached.
    case notYetValid
    /// The token is genuine, and from another issuer than the configured one.
    case wrongIssuer
    /// The token is genuine and for another audience, or names one while none is configured.
    case wrongAudience

    /// The status of the answer over HTTP.
    public var status: Int {
        self == .tooLong ? 431 : 401
    }

    /// The text of the answer. It contains nothing of the token, the keys or the configuration.
    public var message: String {
        switch self {
        case .tooLong: "the token is too long"
        case .malformed, .unsupported, .unknownKey, .wrongSignature: "the token is refused"
        case .expired: "the token has expired, or has no exp"
        case .notYetValid: "the token is not valid yet"
        case .wrongIssuer: "the token is from another issuer"
        case .wrongAudience: "the token is for another audience"
        }
    }
}
