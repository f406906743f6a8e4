import TidemarkServer

@testable import TidemarkScopeTokens

extension HostileToken {
    /// Headers that ask for another way to check, all signed with the key `hs`.
    static func headers(_ forge: TokenForge) throws -> [HostileToken] {
        func signed(_ name: String, _ header: String, _ error: ScopeTokenError = .malformed) throws -> HostileToken {
            HostileToken("header: " + name, try forge.token(header: header), error)
        }
        let unsigned = ["none", "None", "NONE", "nOnE"].map { name in
            HostileToken(
                "header: alg \(name) without a signature",
                TokenForge.token(header: #"{"alg":"\#(name)","kid":"hs"}"#, signature: [0]), .unsupported)
        }
        let deep = String(repeating: "[", count: 5_000) + String(repeating: "]", count: 5_000)
        return try unsigned + [
            HostileToken(
                "header: none and an empty signature",
                String(TokenForge.token(header: #"{"alg":"none"}"#, signature: []))),
            signed("alg none, signed", #"{"alg":"none","kid":"hs"}"#, .unsupported),
            signed("alg empty", #"{"alg":"","kid":"hs"}"#, .unsupported),
            signed("alg in lower case", #"{"alg":"hs256","kid":"hs"}"#, .unsupported),
            signed("alg with a space", #"{"alg":"HS256 ","kid":"hs"}"#, .unsupported),
            signed("alg with a NUL", #"{"alg":"HS256\u0000","kid":"hs"}"#, .unsupported),
            signed("alg with a combining mark", #"{"alg":"HS256\u0301","kid":"hs"}"#, .unsupported),
            signed("alg HS384", #"{"alg":"HS384","kid":"hs"}"#, .unsupported),
            signed("alg HS1", #"{"alg":"HS1","kid":"hs"}"#, .unsupported),
            signed("alg PS256", #"{"alg":"PS256","kid":"rs"}"#, .unsupported),
            signed("alg ES256K", #"{"alg":"ES256K","kid":"es"}"#, .unsupported),
            signed("alg dir", #"{"alg":"dir","enc":"A256GCM","kid":"hs"}"#, .unsupported),
            signed("alg missing", #"{"kid":"hs"}"#),
            signed("alg null", #"{"alg":null,"kid":"hs"}"#),
            signed("alg a number", #"{"alg":256,"kid":"hs"}"#),
            signed("alg an array", #"{"alg":["HS256"],"kid":"hs"}"#),
            signed("alg an object", #"{"alg":{"alg":"HS256"},"kid":"hs"}"#),
            signed("alg twice", #"{"alg":"HS256","alg":"none","kid":"hs"}"#),
            signed("alg twice, once with an escape", #"{"alg":"HS256","\u0061lg":"HS256","kid":"hs"}"#),
            signed("kid twice", #"{"alg":"HS256","kid":"hs","kid":"rs"}"#),
            signed("typ of a proof", #"{"alg":"HS256","kid":"hs","typ":"dpop+jwt"}"#, .unsupported),
            signed("typ of a logout", #"{"alg":"HS256","kid":"hs","typ":"logout+jwt"}"#, .unsupported),
            signed("typ a number", #"{"alg":"HS256","kid":"hs","typ":1}"#),
            signed("crit", #"{"alg":"HS256","kid":"hs","crit":["exp"]}"#, .unsupported),
            signed("crit empty", #"{"alg":"HS256","kid":"hs","crit":[]}"#, .unsupported),
            signed("crit null", #"{"alg":"HS256","kid":"hs","crit":null}"#, .unsupported),
            signed("b64", #"{"alg":"HS256","kid":"hs","b64":false}"#, .unsupported),
            signed("empty", ""),
            signed("null", "null"),
            signed("a string", #""HS256""#),
            signed("an array", #"[{"alg":"HS256","kid":"hs"}]"#),
            signed("two objects", #"{"alg":"HS256","kid":"hs"}{}"#),
            signed("a comma too many", #"{"alg":"HS256","kid":"hs",}"#),
            signed("a comment", #"{"alg":"HS256","kid":"hs"}/**/"#),
            signed("single quotes", "{'alg':'HS256','kid':'hs'}"),
            signed("nested deeply", #"{"alg":"HS256","kid":"hs","x":\#(deep)}"#),
            signed("a repeated member deep inside", #"{"alg":"HS256","kid":"hs","x":[{"a":1,"a":2}]}"#),
            HostileToken(
                "header: not UTF-8",
                try forge.token(
                    header: Array(#"{"alg":"HS256","kid":"hs"#.utf8) + [0xC3, 0x28] + Array(#""}"#.utf8),
                    claims: Array(TokenForge.goodClaims.utf8))),
        ]
    }

    /// Headers that name another key, or none.
    static func keyNames(_ forge: TokenForge) throws -> [HostileToken] {
        func named(_ name: String, _ kid: String, _ error: ScopeTokenError = .unknownKey) throws -> HostileToken {
            HostileToken("kid: " + name, try forge.token(header: #"{"alg":"HS256","kid":\#(kid)}"#), error)
        }
        return try [
            HostileToken("kid: missing, with several keys", try forge.token(header: #"{"alg":"HS256"}"#), .unknownKey),
            named("unknown", #""hs2""#),
            named("empty", #""""#),
            named("null", "null", .malformed),
            named("a number", "0", .malformed),
            named("an array", #"["hs"]"#, .malformed),
            named("in upper case", #""HS""#),
            named("with a space", #""hs ""#),
            named("with a NUL", #""hs\u0000""#),
            named("with a zero-width joiner", #""h\u200ds""#),
            named("with a soft hyphen", #""h\u00ads""#),
            named("with a combining mark", #""hs\u0301""#),
            named("with a Cyrillic letter", #""h\u0455""#),
            named("in fullwidth letters", #""\uff48\uff53""#),
            named("half of a surrogate pair", #""hs\ud800""#),
            named("a path to the key file", #""../../keys.json""#),
            named("a path to an empty file", #""/dev/null""#),
            named("a query", #""hs' OR '1'='1""#),
            named("an address", #""http://127.0.0.1/keys""#),
            named("the position of a key", #""0""#),
            named("very long", "\"" + String(repeating: "hs", count: 4_000) + "\""),
            HostileToken(
                "kid: of a key of another type", try forge.token(header: #"{"alg":"HS256","kid":"rs"}"#), .unknownKey),
            HostileToken(
                "kid: RS256 under the secret", try forge.token(.rs256, header: #"{"alg":"RS256","kid":"hs"}"#),
                .unknownKey),
            HostileToken(
                "kid: EdDSA under a point of P-256", try forge.token(.edDSA, header: #"{"alg":"EdDSA","kid":"es"}"#),
                .unknownKey),
            HostileToken(
                "kid: ES256 under a key of Ed25519", try forge.token(.es256, header: #"{"alg":"ES256","kid":"ed"}"#),
                .unknownKey),
        ]
    }
}
