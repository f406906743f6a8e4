import Foundation
import TestTraits
import Testing
import TidemarkModel
import TidemarkServer

@testable import TidemarkScopeTokens

/// Tokens that are accepted, the rules for issuers, audiences and times, and keys that change.
@Suite(.pooled) struct JWTAuthenticatorTests {
    private func authenticator(
        _ file: [UInt8] = TestKeys.all, _ rules: TokenRules = TokenRules()
    ) async throws -> JWTAuthenticator {
        JWTAuthenticator(try await TokenKeySet(json: file), rules)
    }

    private func outcome(
        _ token: String, _ authenticator: JWTAuthenticator, now: Date = TokenForge.now
    ) -> Result<ScopeIdentity, ScopeTokenError> {
        Result { () throws(ScopeTokenError) in try authenticator.authenticate(bearer: token, now: now) }
    }

    private func error(_ result: Result<ScopeIdentity, ScopeTokenError>) -> ScopeTokenError? {
        if case .failure(let error) = result { error } else { nil }
    }

    // MARK: Signatures

    @Test func `tokens that another implementation signed are accepted`() async throws {
        let authenticator = try await authenticator()
        for (token, name) in zip(TestKeys.foreignTokens, ["hs", "rs", "es", "ed"]) {
            let identity = try authenticator.authenticate(bearer: token, now: TokenForge.now)
            #expect(identity.subject == "u1" && identity.issuer == nil)
            #expect(identity.claims == Array(TokenForge.goodClaims.utf8))
            #expect(identity.expiry == Date(timeIntervalSince1970: 2_000_000_030))
            #expect(identity.keyID.name == ByteString(name))
            #expect(await authenticator.accepts(identity.keyID))
        }
    }

    /// Source: RFC 7515, appendix A.1 and A.3. The claims are those of the issuer `joe`.
    @Test func `the examples of the standard are accepted`() async throws {
        let claims = "eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ"
        let examples = [
            (
                #"{"kty":"oct","k":"AyM1SysPpbyDfgZld3umj1qzKObwVMkoqQ-EstJQLr_T-1qS0gZH75aKtMN3Yj0iPS4hcgUuTwjAzZr1Z9CAow"}"#,
                "eyJ0eXAiOiJKV1QiLA0KICJhbGciOiJIUzI1NiJ9.\(claims).dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
            ),
            (
                #"{"kty":"EC","crv":"P-256","x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU","#
                    + #""y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"}"#,
                "eyJhbGciOiJFUzI1NiJ9.\(claims)."
                    + "DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q"
            ),
        ]
        for (key, token) in examples {
            let authenticator = try await authenticator(TestKeys.file(key))
            let time = Date(timeIntervalSince1970: 1_300_819_000)
            #expect(try authenticator.authenticate(bearer: token, now: time).issuer == "joe")
            #expect(error(outcome(token, authenticator)) == .expired)
        }
    }

    @Test func `the only key needs no kid, and a token may name it`() async throws {
        let forge = try await TokenForge()
        let named = try await authenticator(TestKeys.file(TestKeys.hs))
        #expect(try named.authenticate(bearer: forge.token(), now: TokenForge.now).keyID.name == "hs")
        let nameless = try forge.token(header: #"{"alg":"HS256"}"#)
        #expect(try named.authenticate(bearer: nameless, now: TokenForge.now).keyID.name == "hs")
        let key = TestKeys.hs.replacing(#""kid":"hs","#, with: "")
        let unnamed = try await authenticator(TestKeys.file(key))
        #expect(try unnamed.authenticate(bearer: nameless, now: TokenForge.now).keyID.name == nil)
        #expect(error(outcome(try forge.token(), unnamed)) == .unknownKey)
        #expect(error(outcome(try forge.token(.rs256, header: #"{"alg":"RS256"}"#), unnamed)) == .unknownKey)
    }

    @Test(arguments: ["JWT", "jwt", "at+jwt", "application/at+jwt"])
    func `a typ of tokens for access is accepted`(type: String) async throws {
        let forge = try await TokenForge()
        let token = try forge.token(header: #"{"typ":"\#(type)","alg":"HS256","kid":"hs","x5u":"http://127.0.0.1/"}"#)
        let authenticator = try await authenticator()
        #expect(error(outcome(token, authenticator)) == nil)
    }

    // MARK: Claims

    @Test func `times have 30 seconds of leeway, to the second`() async throws {
        let forge = try await TokenForge()
        let authenticator = try await authenticator()
        let token = try forge.token(claims: #"{"exp":1000.5,"nbf":500}"#)
        for (second, expected) in [
            (469.0, ScopeTokenError.notYetValid), (470, nil), (1_000.5, nil), (1_030.4, nil), (1_030.5, .expired),
        ] as [(Double, ScopeTokenError?)] {
            let time = Date(timeIntervalSince1970: second)
            #expect(error(outcome(token, authenticator, now: time)) == expected, "at \(second)")
        }
    }

    @Test(
        arguments: [
            (nil, nil, "", nil), (nil, nil, #""iss":"any""#, nil), ("me", nil, #""iss":"me""#, nil),
            ("me", nil, "", .wrongIssuer), ("me", nil, #""iss":"Me""#, .wrongIssuer),
            ("me", nil, #""iss":"m\u0065""#, nil), ("me", nil, #""iss":"me ""#, .wrongIssuer),
            ("caf\u{E9}", nil, #""iss":"cafe\u0301""#, .wrongIssuer), ("", nil, "", .wrongIssuer),
            (nil, "app", #""aud":"app""#, nil), (nil, "app", #""aud":["other","app"]"#, nil),
            (nil, "app", "", .wrongAudience), (nil, "app", #""aud":[]"#, .wrongAudience),
            (nil, "app", #""aud":"apps""#, .wrongAudience), (nil, "app", #""aud":["other"]"#, .wrongAudience),
            (nil, nil, #""aud":"app""#, .wrongAudience), ("me", "app", #""iss":"me","aud":"app""#, nil),
        ] as [(String?, String?, String, ScopeTokenError?)])
    func `issuer and audience are compared byte by byte`(
        issuer: String?, audience: String?, members: String, expected: ScopeTokenError?
    ) async throws {
        let rules = TokenRules(issuer: issuer.map { ByteString($0) }, audience: audience.map { ByteString($0) })
        let forge = try await TokenForge()
        let token = try forge.token(claims: #"{"exp":2000000000\#(members.isEmpty ? "" : ",")\#(members)}"#)
        let authenticator = try await authenticator(TestKeys.all, rules)
        #expect(error(outcome(token, authenticator)) == expected)
    }

    @Test func `subjects with equal looks are two subjects`() async throws {
        let forge = try await TokenForge()
        let authenticator = try await authenticator()
        let identities = try [#""caf\u00e9""#, #""cafe\u0301""#].map { subject in
            try authenticator.authenticate(
                bearer: forge.token(claims: #"{"exp":2000000000,"sub":\#(subject)}"#), now: TokenForge.now)
        }
        #expect(identities[0].subject != identities[1].subject)
    }

    // MARK: Keys that change

    @Test func `replaced keys open nothing, and each that is gone is named`() async throws {
        let forge = try await TokenForge()
        let authenticator = try await authenticator()
        let former = try TokenAlgorithm.allCases.map {
            try authenticator.authenticate(bearer: forge.token($0), now: TokenForge.now).keyID
        }
        // `hs` has another value under its name, `ed` is gone, `es` has another name.
        let secret = #"{"kty":"oct","kid":"hs","k":"\#(Base64URL.encoded([UInt8](repeating: 7, count: 32)))"}"#
        let renamed = TestKeys.es.replacing(#""kid":"es""#, with: #""kid":"e2""#)
        let gone = authenticator.replace(try await TokenKeySet(json: TestKeys.file(secret, TestKeys.rs, renamed)))
        #expect(gone == [former[0], former[2], former[3]])
        let port: any ScopeAuthenticator = authenticator
        for (key, isAccepted) in zip(former, [false, true, false, false]) {
            #expect(await authenticator.accepts(key) == isAccepted)
            #expect(await port.accepts(key) == isAccepted)
        }
        let errors = try TokenAlgorithm.allCases.map { error(outcome(try forge.token($0), authenticator)) }
        #expect(errors == [.wrongSignature, nil, .unknownKey, .unknownKey])
        // The same file again: nothing is gone.
        let again = try await TokenKeySet(json: TestKeys.file(renamed, TestKeys.rs, secret))
        #expect(authenticator.replace(again).isEmpty)
    }

    @Test func `a check beside replacements uses one set of keys whole`() async throws {
        let forge = try await TokenForge()
        let sets = [
            try await TokenKeySet(json: TestKeys.file(TestKeys.hs, TestKeys.es)),
            try await TokenKeySet(json: TestKeys.file(TestKeys.hs, TestKeys.ed)),
        ]
        let authenticator = JWTAuthenticator(sets[0])
        let token = try forge.token()
        await withTaskGroup { group in
            group.addTask { for turn in 0..<200 { authenticator.replace(sets[turn % 2]) } }
            for _ in 0..<2 {
                group.addTask {
                    for _ in 0..<200 {
                        #expect(error(outcome(token, authenticator)) == nil)
                    }
                }
            }
        }
    }
}
