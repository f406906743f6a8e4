import Foundation
import TidemarkModel
import TidemarkServer
import TidemarkViews

/// The claims of a token whose signature was verified.
///
/// - Source: RFC 7519, section 4.1.
struct TokenClaims {
    /// The JSON, as it was signed.
    let json: [UInt8]
    let subject: ByteString?
    let issuer: ByteString?
    let audiences: [ByteString]?
    let expiry: Double?
    let notBefore: Double?

    /// Parses claims.
    ///
    /// - Throws: ``ScopeTokenError`` `.malformed` if they are not an object without repeated members, or a registered
    ///   claim is not of its kind.
    init(_ json: [UInt8]) throws(ScopeTokenError) {
        let claims = try TokenObject(json)
        self.json = json
        subject = try claims.string("sub")
        issuer = try claims.string("iss")
        audiences = try TokenClaims.audiences(claims.value("aud"))
        expiry = try claims.time("exp")
        notBefore = try claims.time("nbf")
        // Unused, and still no reason to accept a token that its issuer did not mean.
        _ = try claims.time("iat")
        _ = try claims.string("jti")
    }

    /// A string or an array of strings.
    private static func audiences(_ value: RuleNode?) throws(ScopeTokenError) -> [ByteString]? {
        switch value {
        case nil: return nil
        case .string(let name): return [ByteString(name)]
        case .array(let elements):
            var names: [ByteString] = []
            for element in elements {
                guard case .string(let name) = element else { throw .malformed }
                names.append(ByteString(name))
            }
            return names
        case .object, .word: throw .malformed
        }
    }

    /// Checks the claims.
    ///
    /// - Returns: When the token's streams end.
    /// - Throws: ``ScopeTokenError`` for the first rule that does not hold.
    func check(_ rules: TokenRules, now: Date) throws(ScopeTokenError) -> Date {
        if let wanted = rules.issuer, issuer != wanted { throw .wrongIssuer }
        switch (rules.audience, audiences) {
        case (nil, nil): break
        case (let wanted?, let audiences?) where audiences.contains(wanted): break
        default: throw .wrongAudience
        }
        let now = now.timeIntervalSince1970
        if let notBefore, now < notBefore - rules.leeway { throw .notYetValid }
        guard let expiry, now < expiry + rules.leeway else { throw .expired }
        return Date(timeIntervalSince1970: expiry + rules.leeway)
    }
}
