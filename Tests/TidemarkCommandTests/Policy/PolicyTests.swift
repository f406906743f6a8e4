import TestTraits
import Testing
import TidemarkTestKit
import TidemarkTesting

@Suite(.pooled, .tags(.process)) struct PolicyTests {
    private static let policy = """
        interface Media @cacheControl(maxAge: 3600) { url: String @cacheControl(maxAge: 0) }
        type Song implements Media {
          url: String
          title: String
          description: String @cacheControl(maxAge: 900)
          artist: Artist @cacheControl(cascadeDeletion: true)
          album: Media
          label: Label @cacheControl(inheritMaxAge: true)
        }
        type Artist { name: String }
        union Label @cacheControl(inheritMaxAge: true) = Artist
        """

    @Test func `a valid policy is printed in words`() async throws {
        let result = try await check(PolicyTests.policy)
        #expect(result.status == 0 && result.errorText == "")
        #expect(
            result.outputText == """
                Media: stale after 3,600 s (own directive)
                Media.url: always stale (own directive)
                Song: stale after 3,600 s (from interface Media)
                Song.url: always stale (from interface Media)
                Song.title: as the Song it belongs to
                Song.description: stale after 900 s (own directive)
                Song.artist: as type Artist, never stale; cascades to Artist (own directive)
                Song.album: as type Media, stale after 3,600 s
                Song.label: as the Song it belongs to (own directive)
                Artist: never stale
                Artist.name: as the Artist it belongs to
                Label: as the entity that refers to it (own directive)
                sound: 4 types and 8 fields, nothing wrong

                """)
    }

    @Test func `a valid policy is printed as JSON for programs`() async throws {
        let result = try await check(
            "type A @cacheControl(maxAge: 5) { b: B @cacheControl(inheritMaxAge: true) } type B { c: Int }", "--json")
        #expect(result.status == 0 && result.errorText == "")
        #expect(
            result.outputText == """
                {"ok":true,"error_count":0,"errors":[],"types":[{"name":"A","kind":"type","max_age":5,"inherits":false,\
                "source":"own","interface":null,"fields":[{"name":"b","type":"B","composite":true,"max_age":null,\
                "inherits":true,"source":"own","interface":null,"cascades":false}]},{"name":"B","kind":"type",\
                "max_age":null,"inherits":false,"source":null,"interface":null,"fields":[{"name":"c","type":"Int",\
                "composite":false,"max_age":null,"inherits":false,"source":null,"interface":null,"cascades":false}]}]}

                """)
    }

    @Test func `every error is listed with its file, line and column, and the command ends with 78`() async throws {
        let folder = try TemporaryFolder()
        let path = try folder.write(
            Array("type A @cacheControl {\n  b: B\n}\ntype C { d: Int @cacheControl(maxAge: -1) }".utf8),
            to: "p.graphqls")
        let result = try await CommandRunner().run(["policy", "check", path])
        #expect(result.status == 78)
        #expect(
            result.outputLines == [
                "\(path):1:8: empty_directive: @cacheControl sets nothing; give it maxAge, inheritMaxAge or "
                    + "cascadeDeletion, or remove it",
                "\(path):2:6: unknown_type: B is not defined; define it, a scalar as scalar B",
                "\(path):4:39: negative_age: maxAge -1; write 0 for always stale, leave it out for never",
            ])
        #expect(
            result.errorText == "tidemark: bad_policy: 3 errors; \(path); none of its rules can be used; "
                + "correct the listed errors, then check it again\n")
        let json = try await CommandRunner().run(["policy", "check", "--json", path])
        #expect(json.status == 78)
        #expect(
            json.outputText.hasPrefix(
                #"{"ok":false,"error_count":3,"errors":[{"code":"empty_directive","line":1,"column":8,"message":"@"#))
        #expect(json.outputText.hasSuffix("],\"types\":[]}\n"))
    }

    @Test func `a syntax error is reported first and alone`() async throws {
        let result = try await check("type A { b: B }\nquery { a }")
        #expect(result.status == 78 && result.outputLines.count == 1)
        #expect(result.outputText.contains(":2:1: unexpected_token: found \"query\", expected a definition"))
    }

    @Test func `a file that is not there ends with 66, a folder with 74, one too long with 78`() async throws {
        let folder = try TemporaryFolder()
        let missing = try await CommandRunner().run(["policy", "check", folder.path("none")])
        #expect(missing.status == 66 && missing.outputText == "")
        #expect(missing.errorText.hasPrefix("tidemark: not_found: "))
        #expect(try await CommandRunner().run(["policy", "check", folder.path]).status == 74)
        let long = try folder.write([UInt8](repeating: 0x20, count: (16 << 20) + 1), to: "long")
        let refused = try await CommandRunner().run(["policy", "check", long])
        #expect(refused.status == 78 && refused.outputText.contains(":1:1: document_too_long: "))
    }

    private func check(_ policy: String, _ options: String...) async throws -> CommandResult {
        let folder = try TemporaryFolder()
        let path = try folder.write(Array(policy.utf8), to: "policy.graphqls")
        return try await CommandRunner().run(["policy", "check", path] + options)
    }
}
