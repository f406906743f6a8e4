import Foundation
import TestTraits
import Testing
import TidemarkTestKit
import TidemarkTesting

/// The options of `serve` for scopes: what cannot be used ends the command before anything is made.
@Suite(.pooled, .tags(.process)) struct ScopeOptionTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        try folder.write(Array(#"{"scopes":{"all":{"types":{"file":{}}}}}"#.utf8), to: "scopes.json")
    }

    private func write(keys: String, mode: Int = 0o600) throws {
        try folder.write(Array(keys.utf8), to: "keys.json")
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: folder.path("keys.json"))
    }

    private func serve(_ arguments: [String]) async throws -> CommandResult {
        try await CommandRunner().run(
            ["serve", "--db", folder.path("made/a.db"), "--listen", "127.0.0.1:0"] + arguments)
    }

    private static let key = #"{"keys":[{"kty":"oct","k":"AQIDBAUGBwgJCgsMDQ4PEBESExQVFhcYGRobHB0eHyA"}]}"#

    @Test(
        arguments: [
            (nil, 0o600, "--scopes needs --jwt-keys"),
            (key, 0o644, "can be read or changed by others"),
            (#"{"keys":[{"kty":"oct","k":"AQID"}]}"#, 0o600, "/keys/0/k of the file of keys has 3 bytes"),
            (#"{"keys":[{"kty":"RSA","n":"AQID","e":"AQAB"}]}"#, 0o600, "/keys/0/n of the file of keys has 17 bits"),
            (key.replacing(#""kty""#, with: #""use":"enc","kty""#), 0o600, "/keys/0/use of the file of keys says"),
        ] as [(String?, Int, String)])
    func `keys that cannot be used end the command with 78`(keys: String?, mode: Int, message: String) async throws {
        if let keys { try write(keys: keys, mode: mode) }
        let result = try await serve(
            ["--scopes", folder.path("scopes.json")] + (keys == nil ? [] : ["--jwt-keys", folder.path("keys.json")]))
        #expect(result.status == 78 && result.errorText.hasPrefix("tidemark: bad_keys: "), "\(result.errorText)")
        #expect(result.errorText.contains(message), "\(result.errorText)")
        #expect(!FileManager.default.fileExists(atPath: folder.path("made")))
    }

    @Test func `a file of scopes with a mistake ends the command with 78`() async throws {
        try write(keys: ScopeOptionTests.key)
        try folder.write(Array(#"{"scopes":{"all":{"typs":{"file":{}}}}}"#.utf8), to: "scopes.json")
        let result = try await serve([
            "--scopes", folder.path("scopes.json"), "--jwt-keys", folder.path("keys.json"),
        ])
        #expect(result.status == 78 && result.errorText.hasPrefix("tidemark: bad_scopes: /scopes/all/typs "))
        #expect(result.errorText.contains(#"did you mean "types"?"#), "\(result.errorText)")
    }

    @Test(arguments: [
        ["--jwt-keys", "keys.json"], ["--jwt-issuer", "me"], ["--jwt-audience", "app"], ["--scopes", ""],
        ["--scopes", "scopes.json", "--jwt-keys", ""],
        ["--scopes", "scopes.json", "--jwt-keys", "k", "--jwt-issuer", ""],
        ["--scopes", "scopes.json", "--jwt-keys", "k", "--read-only"],
    ])
    func `options that do not belong together end with 64`(arguments: [String]) async throws {
        let result = try await serve(arguments)
        #expect(result.status == 64, "\(result.errorText)")
    }
}
