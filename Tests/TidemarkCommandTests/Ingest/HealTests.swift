import Foundation
import TestTraits
import Testing
import TidemarkTestKit
import TidemarkTesting

/// `gaps --heal` and `gaps --rewind`, with the built command.
@Suite(.pooled, .tags(.process)) struct HealTests {
    private func line(_ sequence: Int64, id: String? = nil, n: Int64? = nil) -> String {
        EventLine.change(
            #"{"id":"\#(id ?? "f\(sequence)")","n":\#(n ?? sequence)}"#, library: "a", sequence: sequence)
    }

    private func ingest(_ lines: [String], into database: String) async throws {
        let result = try await CommandRunner().run(
            ["ingest", "--db", database], input: Array(lines.map { $0 + "\n" }.joined().utf8))
        #expect(result.status == 0, "\(result.errorText)")
    }

    private func gaps(_ database: String, _ arguments: [String] = []) async throws -> String {
        let result = try await CommandRunner().run(["gaps", "--db", database, "--json"] + arguments)
        #expect(result.status == 0, "\(result.errorText)")
        return result.outputText
    }

    @Test func `healing applies the numbers that the upstream has, and reports the rest`() async throws {
        let folder = try TemporaryFolder()
        let database = folder.path("a.db")
        try await ingest([line(1), line(5), line(9)], into: database)
        let log = try folder.write(Array([line(2), line(4), line(7)].map { $0 + "\n" }.joined().utf8), to: "log")
        #expect(
            try await gaps(database, ["--heal", "--upstream", "file:\(log)"])
                == #"{"libraries":{"a":{"epoch":"","sequence":9,"state":"stale","lost":[[3,3],[6,6],[8,8]]}}}"# + "\n")
        let rest = try folder.write(Array([line(3), line(6), line(8)].map { $0 + "\n" }.joined().utf8), to: "rest")
        #expect(
            try await gaps(database, ["--heal", "--upstream", "file:\(rest)"])
                == #"{"libraries":{"a":{"epoch":"","sequence":9,"state":"live","lost":[]}}}"# + "\n")
        let list = try await CommandRunner().run(["export", "--db", database])
        #expect(list.outputLines.count == 9)
    }

    @Test func `rewinding undoes the effect of a false number`() async throws {
        let folder = try TemporaryFolder()
        let database = folder.path("a.db")
        // The line with the false number wrote f2; a later event of the log must still be able to change f2.
        try await ingest([line(1), line(2), line(9_000_000_000_000_000_000, id: "f2", n: 7)], into: database)
        #expect(
            try await gaps(database, ["--rewind", "--library", "a", "--to", "2"])
                == #"{"libraries":{"a":{"epoch":"","sequence":2,"state":"stale","lost":[]}}}"# + "\n")
        try await ingest([line(3, id: "f2", n: 3), line(4)], into: database)
        #expect(
            try await gaps(database) == #"{"libraries":{"a":{"epoch":"","sequence":4,"state":"stale","lost":[]}}}"#
                + "\n")
        let export = try await CommandRunner().run(["export", "--db", database])
        #expect(export.outputText.contains(#""id":"f2","resource":{"id":"f2","n":3},"sequence":3"#))
        let verify = try await CommandRunner().run(["verify", "--db", database, "--json"])
        #expect(verify.status == 0, "\(verify.outputText)")
    }

    @Test func `rewinding moves a cursor only back`() async throws {
        let folder = try TemporaryFolder()
        let database = folder.path("a.db")
        try await ingest([line(5)], into: database)
        for arguments in [
            ["--library", "a", "--to", "5"], ["--library", "a", "--to", "6"], ["--library", "z", "--to", "1"],
        ] {
            let result = try await CommandRunner().run(["gaps", "--db", database, "--rewind"] + arguments)
            #expect(result.status == 64, "\(arguments)")
            #expect(result.errorText.contains("nothing changed"), "\(result.errorText)")
        }
        #expect(
            try await gaps(database) == #"{"libraries":{"a":{"epoch":"","sequence":5,"state":"live","lost":[]}}}"#
                + "\n")
    }

    @Test(arguments: [
        ["--heal"], ["--rewind"], ["--rewind", "--library", "a"], ["--rewind", "--to", "3"], ["--to", "3"],
        ["--upstream", "file:log"], ["--rewind", "--library", "a", "--to", "-1"],
        ["--heal", "--upstream", "file:log", "--rewind", "--library", "a", "--to", "3"],
    ])
    func `options that are missing or do not fit together are refused`(_ arguments: [String]) async throws {
        let folder = try TemporaryFolder()
        let result = try await CommandRunner().run(["gaps", "--db", folder.path("a.db")] + arguments)
        #expect(result.status == 64)
    }
}
