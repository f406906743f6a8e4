import Foundation
import TestTraits
import Testing
import TidemarkGraphQLGenerator
import TidemarkTestKit
import TidemarkTesting

/// Operations of a schema with more than 10,000 lines are generated, equal in every run, and compile.
///
/// A sample of the types is asked for; `make test-limits` asks for every one.
@Suite(.pooled, .tags(.process)) struct LargeSchemaTests {
    private static func files() throws -> [GeneratedFile] {
        var options = GeneratorOptions()
        options.namespace = "Large"
        options.access = .public
        options.scalars = ["Moment": "Date"]
        let count = TestScale.limits.isAsked ? LargeSchema.typeCount : 6
        return try CodeGenerator.files(
            schema: SourceText(path: "large.graphqls", bytes: Array(LargeSchema.schema.utf8)),
            operations: [SourceText(path: "Large.graphql", bytes: Array(LargeSchema.documents(of: count).utf8))],
            options: options)
    }

    @Test func `operations of a large schema compile, and are the same in every run`() async throws {
        #expect(LargeSchema.schema.split(separator: "\n").count > 10_000)
        let files = try LargeSchemaTests.files()
        #expect(files == (try LargeSchemaTests.files()))
        let folder = try TemporaryFolder()
        for file in files { try Data(file.text.utf8).write(to: URL(fileURLWithPath: folder.path(file.name))) }
        let result = try await CommandRunner(executable: "/usr/bin/env").run(
            ["swiftc", "-typecheck", "-swift-version", "6", "-warnings-as-errors"]
                + (try LargeSchemaTests.searchPaths()) + files.map { folder.path($0.name) }, deadline: .seconds(1_500))
        #expect(result.status == 0, "\(result.errorText.prefix(4_000))")
    }

    /// The modules that the tests were built with, and the maps of those that are C.
    private static func searchPaths() throws -> [String] {
        let folder = URL(fileURLWithPath: try CommandRunner().executable).resolvingSymlinksInPath()
            .deletingLastPathComponent()
        let builds = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        let generated = builds.map { $0.appending(path: "module.modulemap").path }
        let sources = Sources.folder.deletingLastPathComponent().deletingLastPathComponent().appending(path: "Sources")
        let written = try FileManager.default.contentsOfDirectory(at: sources, includingPropertiesForKeys: nil).flatMap
        {
            [$0.appending(path: "module.modulemap").path, $0.appending(path: "include/module.modulemap").path]
        }
        let maps = (generated + written).filter { FileManager.default.fileExists(atPath: $0) }
        return ["-I", folder.appending(path: "Modules").path]
            + maps.flatMap { ["-Xcc", "-fmodule-map-file=\($0)"] }
    }
}
