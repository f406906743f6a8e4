import Foundation
import TestTraits
import Testing
import TidemarkTestKit
import TidemarkTesting

/// The site and the pictures of the pages, by the scripts that make them.
@Suite(.pooled, .tags(.process)) struct SiteTests {
    private func run(_ script: String, _ arguments: [String]) async throws -> CommandResult {
        try await CommandRunner(executable: "/usr/bin/env").run(["python3", Tree.url(script).path] + arguments)
    }

    @Test func `the site is built, and every link, heading and block of JSON in it is right`() async throws {
        let folder = try TemporaryFolder()
        defer { withExtendedLifetime(folder) {} }
        let result = try await run("docs/site/build.py", [folder.path("site")])
        #expect(result.status == 0, "\(result.errorText)")
        let page = try String(contentsOfFile: folder.path("site/docs-why.html"), encoding: .utf8)
        #expect(page.contains("Why Tidemark, and when not"))
        let index = try String(contentsOfFile: folder.path("site/search-index.js"), encoding: .utf8)
        for name in ["SyncCache.ingest", "GraphQLClient.watch", "SQLiteReader", "CacheServer"] {
            #expect(index.contains("\"\(name)"), "the search does not know \(name)")
        }
    }

    @Test func `the table of bounds is that of the sources`() async throws {
        let result = try await run("docs/bounds.py", ["--check"])
        #expect(result.status == 0, "\(result.errorText)")
    }

    @Test func `the pictures are those that their script draws`() async throws {
        let result = try await run("docs/pictures/draw.py", ["--check"])
        #expect(result.status == 0, "\(result.errorText)")
    }
}
