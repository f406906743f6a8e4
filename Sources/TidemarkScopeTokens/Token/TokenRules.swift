import TidemarkModel

/// What tokens have to fulfil besides a genuine signature.
package struct TokenRules: Hashable, Sendable {
    /// The `iss` that tokens must have; nil accepts any, and none.
    package var issuer: ByteString?
    /// The name that `aud` must contain; nil accepts only tokens without `aud`, because one for another service must
    /// not open this one.
    package var audience: ByteString?
    /// How far the clocks of issuer and server may differ: 30 seconds.
    package var leeway = 30.0
    /// The longest token: 16 KiB, the size of a request's head.
    package var byteCountMax = 16 << 10

    /// Creates rules.
    package init(issuer: ByteString? = nil, audience: ByteString? = nil) {
        self.issuer = issuer
        self.audience = audience
    }
}
