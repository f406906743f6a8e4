/// The algorithms of signatures, by their names in tokens.
///
/// - Source: RFC 7518, section 3.1; RFC 8037, section 3.1.
enum TokenAlgorithm: String, CaseIterable {
    /// HMAC with SHA-256.
    case hs256 = "HS256"
    /// RSASSA-PKCS1-v1_5 with SHA-256.
    case rs256 = "RS256"
    /// ECDSA over P-256 with SHA-256.
    case es256 = "ES256"
    /// Ed25519.
    case edDSA = "EdDSA"
}
