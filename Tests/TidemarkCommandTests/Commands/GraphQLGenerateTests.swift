import TidemarkJSON
import Foundation
import TestTraits
import Testing
import TidemarkTestKit
import TidemarkTesting

/// The generator by the built programs: alone, and as `tidemark graphql generate`.
@Suite(.pooled, .tags(.process)) struct GraphQLGenerateTests {
    private static let schema = """
        "A person."
        type Person { id: ID! name: String born: DateTime home: Link }
        scalar DateTime
        scalar Link
        enum Sort { UP DOWN }
        type Query { people(sort: Sort): [Person!]! }

        """
    private static let query = "query People($sort: Sort) { people(sort: $sort) { ...Named born home } }\n"
    private static let fragment = "fragment Named on Person { id name }\n"

    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        try FileManager.default.createDirectory(
            atPath: folder.path("Queries/deep/er"), withIntermediateDirectories: true)
        try write("schema.graphqls", GraphQLGenerateTests.schema)
        try write("Queries/People.graphql", GraphQLGenerateTests.query)
        try write("Queries/deep/er/Named.graphql", GraphQLGenerateTests.fragment)
    }

    private func write(_ name: String, _ text: String) throws {
        try Data(text.utf8).write(to: URL(fileURLWithPath: folder.path(name)))
    }

    private func text(_ name: String) throws -> String { String(decoding: try folder.read(name), as: UTF8.self) }

    private func files(_ name: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path(name)).sorted()
    }

    private func run(_ more: [String], patterns: [String]? = nil) async throws -> CommandResult {
        try await CommandRunner(named: "tidemark-graphql-generate").run(
            ["--schema", folder.path("schema.graphqls"), "--operations"]
                + (patterns ?? [folder.path("Queries/**/*.graphql")]) + ["--output", folder.path("Out")] + more)
    }

    @Test func `each operation and fragment gets a file, and running again writes nothing`() async throws {
        let result = try await run([])
        #expect(result.status == 0, "\(result.errorText)")
        #expect(result.outputText == "")
        #expect(try files("Out") == ["GraphQLTypes.swift", "Named.swift", "People.swift"])
        let people = try text("Out/People.swift")
        #expect(people.contains("\nstruct People: TypedQuery {"))
        #expect(people.contains("/// A person."))
        #expect(people.contains("var born: JSONValue?"))
        let changed = try moments()
        #expect(try await run([]).status == 0)
        #expect(try moments() == changed)
    }

    /// The moment of each file's last change.
    private func moments() throws -> [Date?] {
        try files("Out").map {
            try FileManager.default.attributesOfItem(atPath: folder.path("Out/\($0)"))[.modificationDate] as? Date
        }
    }

    @Test func `every option reaches the text`() async throws {
        let result = try await run([
            "--access", "public", "--module", "API", "--scalars", "DateTime=Date,Link=URL", "--per-document",
        ])
        #expect(result.status == 0, "\(result.errorText)")
        #expect(try files("Out") == ["APITypes.swift", "Named.graphql.swift", "People.graphql.swift"])
        let people = try text("Out/People.graphql.swift")
        #expect(people.contains("extension API {"))
        #expect(people.contains("public struct People: TypedQuery {"))
        #expect(people.contains("public var born: Date?"))
        #expect(people.contains("public var home: URL?"))
        #expect(try text("Out/APITypes.swift").contains("public enum API {"))
        let package = try await run(["--access", "package"])
        #expect(package.status == 0)
        #expect(try text("Out/People.swift").contains("package struct People: TypedQuery {"))
    }

    @Test func `tidemark graphql generate does the same`() async throws {
        let result = try await CommandRunner().run([
            "graphql", "generate", "--schema", folder.path("schema.graphqls"), "--operations",
            folder.path("Queries/**/*.graphql"), "--output", folder.path("By"), "--access", "public",
        ])
        #expect(result.status == 0, "\(result.errorText)")
        #expect(try await run(["--access", "public"]).status == 0)
        #expect(try files("By") == files("Out"))
        for name in try files("By") { #expect(try folder.read("By/\(name)") == folder.read("Out/\(name)")) }
        let help = try await CommandRunner().run(["graphql", "generate", "--help"])
        #expect(help.status == 0)
        #expect(help.outputText.contains("tidemark-graphql-generate --help"))
    }

    @Test func `errors of documents have file, line and column, and nothing is written`() async throws {
        try write("Queries/Bad.graphql", "query Bad {\n  people { nam }\n}\nquery { people { id } }\n")
        try write("Queries/Worse.graphql", "query Worse {\n  people(\n}\n")
        let grammar = try await run([])
        #expect(grammar.status == 65)
        #expect(grammar.errorText.hasPrefix("\(folder.path("Queries/Worse.graphql")):3:1: error: "))
        #expect(grammar.errorText.split(separator: "\n").count == 1)
        try write("Queries/Worse.graphql", "query Worse {\n\n people { id more } }\n")
        let rules = try await run([])
        #expect(rules.status == 65)
        let lines = rules.errorText.split(separator: "\n").map(String.init)
        #expect(lines.contains { $0.hasPrefix("\(folder.path("Queries/Bad.graphql")):2:12: error: ") })
        #expect(lines.contains { $0.hasPrefix("\(folder.path("Queries/Worse.graphql")):3:14: error: ") })
        #expect(!FileManager.default.fileExists(atPath: folder.path("Out")))
    }

    @Test func `errors of the schema have file, line and column`() async throws {
        try write("schema.graphqls", "type Query {\n  a: Nowhere\n}\n")
        let result = try await run([])
        #expect(result.status == 65)
        #expect(result.errorText.hasPrefix("\(folder.path("schema.graphqls")):2:"))
        #expect(result.errorText.contains(": error: "))
    }

    @Test func `patterns take stars in names and folders, and each file once`() async throws {
        let both = try await run(
            [],
            patterns: [folder.path("Queries/P*.graphql"), folder.path("**/Nam*.graphql"), folder.path("Queries/*/*/*")])
        #expect(both.status == 0, "\(both.errorText)")
        #expect(try files("Out") == ["GraphQLTypes.swift", "Named.swift", "People.swift"])
        let flat = try await run([], patterns: [folder.path("Queries/*.graphql")])
        #expect(flat.status == 65)
        #expect(flat.errorText.contains("People.graphql:1:"))
    }

    @Test func `arguments that cannot be used end with 64 and say what to write`() async throws {
        let noFile = try await run([], patterns: [folder.path("Nothing/*.graphql")])
        #expect(noFile.status == 64)
        #expect(noFile.errorText.contains("No file matches"))
        let scalars = try await run(["--scalars", "DateTime"])
        #expect(scalars.status == 64)
        #expect(scalars.errorText.contains("'DateTime' is not NAME=TYPE"))
        let access = try await run(["--access", "secret"])
        #expect(access.status == 64)
        let missing = try await run([], patterns: [folder.path("Nothing.graphql")])
        #expect(missing.status == 65)
        #expect(
            missing.errorText
                == "\(folder.path("Nothing.graphql")):1:1: error: The file cannot be read; check its path.\n")
    }
}
