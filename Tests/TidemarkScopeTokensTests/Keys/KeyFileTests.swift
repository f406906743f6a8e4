import Foundation
import TestTraits
import Testing
import TidemarkTestKit
import TidemarkTesting

@testable import TidemarkScopeTokens

/// Files of keys: those that cannot be used safely are refused with the place and what to do.
@Suite(.pooled) struct KeyFileTests {
    private func refusal(_ json: [UInt8]) async -> String? {
        do throws(TokenKeyError) {
            _ = try await TokenKeySet(json: json)
            return nil
        } catch {
            return error.message
        }
    }

    private static let long = Base64URL.encoded([UInt8](repeating: 9, count: 32))

    /// Keys and the beginning of what is said about them.
    private static let refused: [(key: String, message: String)] = [
        ("5", "/keys/0 of the file of keys is not an object"),
        ("{}", "/keys/0/kty of the file of keys is missing"),
        (#"{"kty":5}"#, "/keys/0/kty of the file of keys is not a string"),
        (#"{"kty":"AKP","k":"\#(long)"}"#, "/keys/0/kty of the file of keys is not a known type"),
        (#"{"kty":"oct"}"#, "/keys/0/k of the file of keys is missing"),
        (#"{"kty":"oct","k":""}"#, "/keys/0/k of the file of keys has 0 bytes"),
        (
            #"{"kty":"oct","k":"\#(Base64URL.encoded([UInt8](repeating: 9, count: 31)))"}"#,
            "/keys/0/k of the file of keys has 31 bytes"
        ),
        (#"{"kty":"oct","k":"\#(long)="}"#, "/keys/0/k of the file of keys is not base64url"),
        (#"{"kty":"oct","k":"\#(long)","use":"enc"}"#, "/keys/0/use of the file of keys says"),
        (#"{"kty":"oct","k":"\#(long)","use":null}"#, "/keys/0/use of the file of keys is not a string"),
        (
            #"{"kty":"oct","k":"\#(long)","key_ops":["sign"]}"#,
            "/keys/0/key_ops of the file of keys does not have verify"
        ),
        (#"{"kty":"oct","k":"\#(long)","alg":"HS512"}"#, "/keys/0/alg of the file of keys is not HS256"),
        (#"{"kty":"oct","k":"\#(long)","alg":"RS256"}"#, "/keys/0/alg of the file of keys is not HS256"),
        (#"{"kty":"oct","k":"\#(long)","kid":""}"#, "/keys/0/kid of the file of keys is empty"),
        (#"{"kty":"oct","k":"\#(long)","kid":7}"#, "/keys/0/kid of the file of keys is not a string"),
        (#"{"kty":"oct","k":"\#(long)","k":"\#(long)"}"#, "/keys/0/k of the file of keys repeats a member"),
        (#"{"kty":"RSA","n":"\#(TestKeys.shortModulus)","e":"AQAB"}"#, "/keys/0/n of the file of keys has 1024 bits"),
        (
            #"{"kty":"RSA","n":"\#(Base64URL.encoded([0] + [UInt8](repeating: 255, count: 255)))","e":"AQAB"}"#,
            "/keys/0/n of the file of keys has 2040 bits"
        ),
        (
            #"{"kty":"RSA","n":"\#(Base64URL.encoded([UInt8](repeating: 255, count: 1_025)))","e":"AQAB"}"#,
            "/keys/0/n of the file of keys has 8200 bits"
        ),
        (#"{"kty":"RSA","n":"\#(TestKeys.modulus)"}"#, "/keys/0/e of the file of keys is missing"),
        (#"{"kty":"RSA","n":"\#(TestKeys.modulus)","e":"AQ"}"#, "/keys/0/e of the file of keys is not the exponent"),
        (#"{"kty":"RSA","n":"\#(TestKeys.modulus)","e":"Ag"}"#, "/keys/0/e of the file of keys is not the exponent"),
        (
            #"{"kty":"EC","crv":"P-384","x":"\#(TestKeys.x)","y":"\#(TestKeys.y)"}"#,
            "/keys/0/crv of the file of keys is not P-256"
        ),
        (#"{"kty":"EC","x":"\#(TestKeys.x)","y":"\#(TestKeys.y)"}"#, "/keys/0/crv of the file of keys is not P-256"),
        (
            #"{"kty":"EC","crv":"P-256","x":"AAAA","y":"\#(TestKeys.y)"}"#,
            "/keys/0/x of the file of keys has 3 bytes, not 32"
        ),
        (
            #"{"kty":"EC","crv":"P-256","x":"\#(TestKeys.x)","y":"\#(TestKeys.x)"}"#,
            "/keys/0 of the file of keys is not a key"
        ),
        (#"{"kty":"OKP","crv":"X25519","x":"\#(TestKeys.edX)"}"#, "/keys/0/crv of the file of keys is not Ed25519"),
        (
            #"{"kty":"OKP","crv":"Ed25519","x":"\#(TestKeys.edX)","d":"\#(TestKeys.edX)"}"#,
            "/keys/0/d of the file of keys makes this a private key"
        ),
    ]

    @Test(arguments: refused)
    func `a key that cannot be used safely is refused with its place`(key: String, message: String) async {
        let refusal = await refusal(TestKeys.file(key))
        #expect(refusal?.hasPrefix(message) == true, "\(refusal ?? "accepted")")
        #expect(refusal?.contains(KeyFileTests.long) == false)
    }

    @Test(arguments: [
        ("", "the file of keys is not JSON"), ("[]", "the file of keys is not a JWK Set"),
        ("{}", "the file of keys is not a JWK Set"), (TestKeys.hs, "the file of keys is not a JWK Set"),
        (#"{"keys":{}}"#, "/keys of the file of keys is not an array of 1 to 100 keys"),
        (#"{"keys":[]}"#, "/keys of the file of keys is not an array of 1 to 100 keys"),
        (#"{"keys":[\#(TestKeys.hs),{"kty":"oct","k":"\#(long)"}]}"#, "/keys/1 of the file of keys has no kid"),
        (#"{"keys":[\#(TestKeys.hs),\#(TestKeys.hs)]}"#, "/keys/1/kid of the file of keys is also the name of /keys/0"),
    ])
    func `a file that is no set of keys is refused`(text: String, message: String) async {
        let refusal = await refusal(Array(text.utf8))
        #expect(refusal?.hasPrefix(message) == true, "\(refusal ?? "accepted")")
    }

    @Test func `members that say nothing about the value are ignored`() async throws {
        let key =
            #"{"kty":"oct","kid":"a","k":"\#(KeyFileTests.long)","use":"sig","key_ops":["sign","verify"],"#
            + #""alg":"HS256","x5t":"x","exp":1}"#
        #expect(try await TokenKeySet(json: TestKeys.file(key)).ids.count == 1)
    }

    @Test func `a modulus with a leading zero is the same key`() async throws {
        let modulus = try #require(Base64URL.decoded(Array(TestKeys.modulus.utf8)))
        let padded = #"{"kty":"RSA","kid":"rs","n":"\#(Base64URL.encoded([0] + modulus))","e":"AAEAAQ"}"#
        let ids = [
            try await TokenKeySet(json: TestKeys.file(TestKeys.rs)).ids,
            try await TokenKeySet(json: TestKeys.file(padded)).ids,
        ]
        #expect(ids[0] == ids[1])
    }

    @Test func `a file that others can read is refused, and one that the group can read is not`() async throws {
        let folder = try TemporaryFolder()
        try folder.write(TestKeys.all, to: "keys.json")
        let path = folder.path("keys.json")
        for (mode, isSafe) in [
            (0o600, true), (0o640, true), (0o400, true), (0o604, false), (0o602, false), (0o644, false),
        ] {
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
            do throws(TokenKeyError) {
                _ = try await KeyFile(path: path).keys()
                #expect(isSafe, "mode \(String(mode, radix: 8))")
            } catch {
                #expect(!isSafe, "mode \(String(mode, radix: 8))")
                #expect(error.message.contains("run chmod o= \(path)"))
            }
        }
    }

    @Test(arguments: ["missing.json", "."])
    func `a path that is no file is refused`(name: String) async throws {
        let folder = try TemporaryFolder()
        await #expect(throws: TokenKeyError.self) { try await KeyFile(path: folder.path(name)).keys() }
    }
}
