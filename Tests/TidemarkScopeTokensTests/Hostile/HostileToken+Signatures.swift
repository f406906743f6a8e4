import TidemarkServer

@testable import TidemarkScopeTokens

extension HostileToken {
    /// Signatures that somebody without the keys can make.
    static func signatures(_ forge: TokenForge) throws -> [HostileToken] {
        let algorithms = TokenAlgorithm.allCases
        let zeros = algorithms.map { algorithm in
            HostileToken(
                "signature: \(algorithm.rawValue) of zeros",
                TokenForge.token(
                    header: TokenForge.header(algorithm), signature: zero(algorithm == .rs256 ? 256 : length(algorithm))
                ),
                .wrongSignature)
        }
        let cut = try algorithms.map { algorithm in
            let text = signedText(algorithm)
            return HostileToken(
                "signature: \(algorithm.rawValue) cut by a byte",
                text + "." + Base64URL.encoded(try forge.signature(algorithm, of: text).dropLast()), .wrongSignature)
        }
        let longer = try algorithms.map { algorithm in
            let text = signedText(algorithm)
            return HostileToken(
                "signature: \(algorithm.rawValue) with a byte more",
                text + "." + Base64URL.encoded(try forge.signature(algorithm, of: text) + [0]), .wrongSignature)
        }
        let foreign = try algorithms.map { algorithm in
            let other = try forge.signature(algorithm, of: "another text")
            return HostileToken(
                "signature: \(algorithm.rawValue) of another text",
                signedText(algorithm) + "." + Base64URL.encoded(other), .wrongSignature)
        }
        return try zeros + cut + longer + foreign + ecdsa(forge) + secrets() + [
            HostileToken("signature: PSS under RS256", TestKeys.foreignPSS, .wrongSignature),
            HostileToken(
                "signature: a key in the header",
                try forge.token(
                    .edDSA,
                    header: #"{"alg":"HS256","kid":"hs","jwk":{"kty":"oct","k":"AAAA"},"jku":"http://127.0.0.1/"}"#),
                .wrongSignature),
        ]
    }

    private static func signedText(_ algorithm: TokenAlgorithm) -> String {
        let parts = [TokenForge.header(algorithm), TokenForge.goodClaims].map { Base64URL.encoded(Array($0.utf8)) }
        return parts.joined(separator: ".")
    }

    private static func length(_ algorithm: TokenAlgorithm) -> Int { algorithm == .hs256 ? 32 : 64 }

    private static func zero(_ count: Int) -> [UInt8] { [UInt8](repeating: 0, count: count) }

    /// Numbers outside the group of P-256, and other encodings of those inside.
    private static func ecdsa(_ forge: TokenForge) throws -> [HostileToken] {
        let order: [UInt8] = [
            0xFF, 0xFF, 0xFF, 0xFF, 0x00, 0x00, 0x00, 0x00, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xBC, 0xE6,
            0xFA, 0xAD, 0xA7, 0x17, 0x9E, 0x84, 0xF3, 0xB9, 0xCA, 0xC2, 0xFC, 0x63, 0x25, 0x51,
        ]
        let text = signedText(.es256)
        let genuine = try forge.signature(.es256, of: text)
        let (r, s) = (Array(genuine.prefix(32)), Array(genuine.suffix(32)))
        let one = zero(31) + [1]
        let values: [(name: String, bytes: [UInt8])] = [
            ("r = 0", zero(32) + s), ("s = 0", r + zero(32)), ("r = n", order + s), ("s = n", r + order),
            ("r = s = 1", one + one), ("all bits", [UInt8](repeating: 255, count: 64)), ("r and s changed", s + r),
            ("in DER", der(r, s)), ("r alone", r), ("96 bytes, as of P-384", genuine + zero(32)),
        ]
        return values.map { value in
            HostileToken("signature: ES256 \(value.name)", text + "." + Base64URL.encoded(value.bytes), .wrongSignature)
        }
    }

    /// The encoding of signatures in certificates.
    private static func der(_ r: [UInt8], _ s: [UInt8]) -> [UInt8] {
        let parts = [r, s].map { number in
            let body = (number.first ?? 0) >= 128 ? [0] + number : number
            return [2, UInt8(body.count)] + body
        }
        let body = parts.flatMap(\.self)
        return [0x30, UInt8(body.count)] + body
    }

    /// HMAC with what everybody knows.
    private static func secrets() -> [HostileToken] {
        let secrets: [(name: String, bytes: [UInt8])] = [
            ("nothing", []), ("the public RSA key in PEM", Array(TestKeys.rsaPublic.utf8)),
            ("the public RSA key in PEM and a line break", Array((TestKeys.rsaPublic + "\n").utf8)),
            ("the modulus", Base64URL.decoded(Array(TestKeys.modulus.utf8)) ?? []),
            ("the modulus in base64url", Array(TestKeys.modulus.utf8)),
            ("the public key of Ed25519", Base64URL.decoded(Array(TestKeys.edX.utf8)) ?? []),
            ("the name of the key", Array("hs".utf8)), ("a zero", [0]),
        ]
        return secrets.flatMap { secret in
            ["hs", "rs", "ed"].map { kid in
                let header = #"{"alg":"HS256","kid":"\#(kid)"}"#
                let parts = [header, TokenForge.goodClaims].map { Base64URL.encoded(Array($0.utf8)) }
                let text = parts.joined(separator: ".")
                let code = TokenForge.hmac(Array(text.utf8), key: secret.bytes)
                return HostileToken(
                    "signature: HS256 with \(secret.name), kid \(kid)", text + "." + Base64URL.encoded(code),
                    kid == "hs" ? .wrongSignature : .unknownKey)
            }
        }
    }
}
