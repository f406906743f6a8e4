import Foundation
import JWTKit
import TidemarkModel

@testable import TidemarkScopeTokens

/// Makes tokens of any header and claims, with genuine signatures or without.
struct TokenForge: Sendable {
    private let rsa: any JWTAlgorithm
    private let ec: any JWTAlgorithm
    private let ed: any JWTAlgorithm

    /// The time at which tokens are checked.
    static let now = Date(timeIntervalSince1970: 1_900_000_000)
    /// Claims that are accepted then.
    static let goodClaims = #"{"sub":"u1","exp":2000000000}"#

    init() async throws {
        rsa = try await JWTKeyCollection().add(
            rsa: Insecure.RSA.PrivateKey(pem: TestKeys.rsaPrivate), digestAlgorithm: .sha256
        ).getKey()
        ec = try await JWTKeyCollection().add(ecdsa: ES256PrivateKey(pem: TestKeys.ecPrivate)).getKey()
        ed = try await JWTKeyCollection().add(eddsa: EdDSA.PrivateKey(pem: TestKeys.edPrivate)).getKey()
    }

    /// Returns a signature with the key of an algorithm.
    func signature(_ algorithm: TokenAlgorithm, of text: String) throws -> [UInt8] {
        let text = Array(text.utf8)
        return switch algorithm {
        case .hs256: TokenForge.hmac(text, key: TestKeys.secret)
        case .rs256: try rsa.sign(text)
        case .es256: try ec.sign(text)
        case .edDSA: try ed.sign(text)
        }
    }

    /// The header of a token under one of the four keys.
    static func header(_ algorithm: TokenAlgorithm) -> String {
        let names: [TokenAlgorithm: String] = [.hs256: "hs", .rs256: "rs", .es256: "es", .edDSA: "ed"]
        return #"{"alg":"\#(algorithm.rawValue)","kid":"\#(names[algorithm] ?? "")"}"#
    }

    /// Returns a token that is genuine whatever it says.
    ///
    /// - Parameters:
    ///   - header: Its header; nil for the usual one.
    ///   - algorithm: The key that signs, whatever the header says.
    func token(
        _ algorithm: TokenAlgorithm = .hs256, header: String? = nil, claims: String = goodClaims
    ) throws -> String {
        try token(algorithm, header: Array((header ?? TokenForge.header(algorithm)).utf8), claims: Array(claims.utf8))
    }

    /// Returns a token of bytes that need not be text.
    func token(_ algorithm: TokenAlgorithm = .hs256, header: [UInt8], claims: [UInt8]) throws -> String {
        let text = Base64URL.encoded(header) + "." + Base64URL.encoded(claims)
        return text + "." + Base64URL.encoded(try signature(algorithm, of: text))
    }

    /// Returns a token with a signature of any bytes.
    static func token(header: String, claims: String = goodClaims, signature: [UInt8]) -> String {
        [Array(header.utf8), Array(claims.utf8), signature].map { Base64URL.encoded($0) }.joined(separator: ".")
    }

    /// HMAC-SHA-256.
    ///
    /// Source: RFC 2104.
    static func hmac(_ text: [UInt8], key: [UInt8]) -> [UInt8] {
        var block = key.count > 64 ? SHA256Digest(of: key).bytes : key
        block += [UInt8](repeating: 0, count: 64 - block.count)
        let inner = SHA256Digest(of: block.map { $0 ^ 0x36 } + text).bytes
        return SHA256Digest(of: block.map { $0 ^ 0x5C } + inner).bytes
    }
}
