import TidemarkServer

@testable import TidemarkScopeTokens

extension HostileToken {
    /// Genuine tokens whose claims cannot be used.
    static func claims(_ forge: TokenForge) throws -> [HostileToken] {
        func claims(_ name: String, _ text: String, _ error: ScopeTokenError = .malformed) throws -> HostileToken {
            HostileToken("claims: " + name, try forge.token(claims: text), error)
        }
        func with(_ member: String, _ error: ScopeTokenError = .malformed) throws -> HostileToken {
            try claims(member, #"{"sub":"u1","exp":2000000000,\#(member)}"#, error)
        }
        let good = try forge.token()
        let (header, secret) = (TokenForge.header(.hs256), TestKeys.secret)
        let padded =
            [header, TokenForge.goodClaims].map { Base64URL.encoded(Array($0.utf8)) }.joined(separator: ".") + "="
        let deep = String(repeating: "[", count: 5_000) + String(repeating: "]", count: 5_000)
        return try [
            claims("none", "{}", .expired),
            claims("null", "null"),
            claims("an array", #"[{"sub":"u1","exp":2000000000}]"#),
            claims("a string", #""u1""#),
            claims("not JSON", "sub=u1&exp=2000000000"),
            claims("two objects", TokenForge.goodClaims + TokenForge.goodClaims),
            claims("something behind", TokenForge.goodClaims + "x"),
            claims("a token inside", good),
            claims("sub twice", #"{"sub":"u1","sub":"u2","exp":2000000000}"#),
            claims("sub twice, once with an escape", #"{"sub":"u1","s\u0075b":"u2","exp":2000000000}"#),
            claims("exp twice", #"{"sub":"u1","exp":2000000000,"exp":2000000000}"#),
            claims("a repeated member deep inside", #"{"exp":2000000000,"roles":[{"a":1,"b":{"c":1,"c":1}}]}"#),
            claims("nested deeply", #"{"exp":2000000000,"x":\#(deep)}"#),
            claims("sub a number", #"{"sub":1,"exp":2000000000}"#),
            claims("sub null", #"{"sub":null,"exp":2000000000}"#),
            claims("sub an object", #"{"sub":{"id":"u1"},"exp":2000000000}"#),
            claims("sub an array", #"{"sub":["u1"],"exp":2000000000}"#),
            with(#""iss":1"#), with(#""iss":null"#), with(#""iss":["me"]"#),
            with(#""aud":null"#), with(#""aud":1"#), with(#""aud":{"aud":"app"}"#), with(#""aud":["app",1]"#),
            with(#""aud":[["app"]]"#),
            with(#""aud":"app""#, .wrongAudience), with(#""aud":["app"]"#, .wrongAudience),
            with(#""aud":"""#, .wrongAudience), with(#""aud":[]"#, .wrongAudience),
            with(#""jti":5"#), with(#""iat":"now""#), with(#""iat":null"#),
            HostileToken(
                "claims: padded, and signed so",
                padded + "." + Base64URL.encoded(TokenForge.hmac(Array(padded.utf8), key: secret))),
            HostileToken(
                "claims: not UTF-8",
                try forge.token(
                    header: Array(header.utf8),
                    claims: Array(#"{"exp":2000000000,"sub":"u"#.utf8) + [0xFF] + Array(#""}"#.utf8))),
            HostileToken(
                "claims: a surrogate pair in UTF-8",
                try forge.token(
                    header: Array(header.utf8),
                    claims: Array(#"{"exp":2000000000,"sub":"u"#.utf8) + [0xED, 0xA0, 0x80] + Array(#""}"#.utf8))),
            HostileToken(
                "claims: UTF-16",
                try forge.token(
                    header: Array(header.utf8), claims: TokenForge.goodClaims.utf8.flatMap { [$0, 0] })),
        ]
    }

    /// Genuine tokens whose times cannot be used, at 1900000000.
    static func times(_ forge: TokenForge) throws -> [HostileToken] {
        func expiry(_ value: String, _ error: ScopeTokenError = .malformed) throws -> HostileToken {
            HostileToken("exp: \(value.prefix(40))", try forge.token(claims: #"{"sub":"u1","exp":\#(value)}"#), error)
        }
        func notBefore(_ value: String, _ error: ScopeTokenError = .malformed) throws -> HostileToken {
            HostileToken(
                "nbf: \(value.prefix(40))", try forge.token(claims: #"{"exp":2000000000,"nbf":\#(value)}"#), error)
        }
        return try [
            HostileToken("exp: missing", try forge.token(claims: #"{"sub":"u1"}"#), .expired),
            HostileToken("exp: in upper case", try forge.token(claims: #"{"EXP":2000000000}"#), .expired),
            expiry("1899999969", .expired), expiry("1899999970", .expired), expiry("1899999970.0", .expired),
            expiry("0", .expired), expiry("-0", .expired), expiry("-1", .expired), expiry("-2000000000", .expired),
            expiry("1e-400", .expired), expiry("1.5e9", .expired),
            expiry("2000000000000"), expiry("253402300800"), expiry("1e12"), expiry("1e308"), expiry("1e400"),
            expiry("-1e400"), expiry("9223372036854775807"), expiry("18446744073709551616"),
            expiry("1" + String(repeating: "0", count: 4_000)), expiry("-253402300800"),
            expiry("null"), expiry("true"), expiry(#""2000000000""#), expiry("[2000000000]"), expiry("{}"),
            expiry("NaN"), expiry("Infinity"), expiry("0x7fffffff"), expiry("02000000000"), expiry("+2000000000"),
            expiry("2000000000."), expiry("2_000_000_000"), expiry("\u{FF12}000000000"),
            notBefore("1900000031", .notYetValid), notBefore("1900000030.5", .notYetValid),
            notBefore("2e9", .notYetValid), notBefore("null"), notBefore(#""0""#), notBefore("1e400"),
            notBefore("false"), notBefore("[]"),
        ]
    }
}
