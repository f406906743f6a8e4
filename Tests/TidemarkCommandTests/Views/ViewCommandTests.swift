import Foundation
import TestTraits
import Testing
import TidemarkTestKit
import TidemarkTesting

/// Views on the command line, over a database.
///
/// Source: Protocol/views.md.
@Suite(.pooled, .tags(.process)) struct ViewCommandTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func run(_ arguments: [String], input: String = "") async throws -> CommandResult {
        try await CommandRunner().run(arguments + ["--db", folder.path("a.db")], input: Array(input.utf8))
    }

    private func line(_ type: String, _ resource: String, library: String = "") -> String {
        EventLine.change(resource, type: type, library: library) + "\n"
    }

    private func ingest() async throws {
        let lines =
            line("project", #"{"id":"p1","name":"Sea","status":"active"}"#)
            + line("project", #"{"id":"p2","name":"Sky","status":"closed"}"#)
            + line("issue", #"{"id":"i1","title":"Tide","project":"p1","votes":3}"#)
            + line("issue", #"{"id":"i2","title":"Wave","project":"p1","votes":5}"#)
            + line("issue", #"{"id":"i3","title":"Wind","project":"p2","votes":1}"#)
            + line("issue", #"{"id":"i4","title":"Lost","project":"p9"}"#)
        #expect(try await run(["ingest"], input: lines).status == 0)
    }

    private let join = #"""
        {"from":"issue","joins":[{"type":"project","on":{"@key":"issue/project"},
          "where":{"path":"/status","eq":{"param":"status"}}}],
         "select":{"title":"issue/title","project":"project/name"},
         "order":[{"path":"issue/votes","direction":"desc"}]}
        """#

    @Test func `a join prints one row a line, and says that it may be short`() async throws {
        try await ingest()
        let result = try await run(["view", "read", "--view", join, "--params", #"{"status":"active"}"#])
        #expect(result.status == 0, "\(result.errorText)")
        #expect(
            result.outputText == #"{"title":"Wave","project":"Sea"}"# + "\n" + #"{"title":"Tide","project":"Sea"}"#
                + "\n")
        #expect(result.errorText.contains("1 entity is asked for and not in the cache"))
        let limited = try await run(
            ["view", "read", "--view", join, "--params", #"{"status":"active"}"#, "--limit", "1", "--offset", "1"])
        #expect(limited.outputText == #"{"title":"Tide","project":"Sea"}"# + "\n")
    }

    @Test func `a rule in a file is read, and groups are counted exactly`() async throws {
        try await ingest()
        let rule =
            #"{"from":"issue","group":{"project":"issue/project"},"aggregates":{"n":{"count":true},"#
            + #""votes":{"sum":"issue/votes"}}}"#
        try folder.write(Array(rule.utf8), to: "groups.json")
        let result = try await run(["view", "read", "--view", folder.path("groups.json"), "--json"])
        #expect(
            result.outputText == #"{"project":"p1","n":2,"votes":8}"# + "\n" + #"{"project":"p2","n":1,"votes":1}"#
                + "\n" + #"{"project":"p9","n":1,"votes":0}"# + "\n", "\(result.errorText)")
    }

    @Test func `a statement of SQL is read as its rule, which is printed on request`() async throws {
        try await ingest()
        let sql =
            "SELECT i.title, p.name AS project FROM issue i JOIN project p ON p.id = i.project "
            + "WHERE p.status = :status ORDER BY i.votes DESC"
        let result = try await run(["view", "read", "--sql", sql, "--params", #"{"status":"active"}"#])
        #expect(
            result.outputText == #"{"title":"Wave","project":"Sea"}"# + "\n" + #"{"title":"Tide","project":"Sea"}"#
                + "\n", "\(result.errorText)")
        let printed = try await run(["view", "read", "--sql", sql, "--explain"])
        #expect(printed.outputText.contains(#""on":{"@key":"i/project"}"#), "\(printed.outputText)\(printed.errorText)")
        let again = try await run([
            "view", "read", "--view", printed.outputText, "--params", #"{"status":"active"}"#, "--json",
        ])
        #expect(again.outputText == result.outputText, "\(again.errorText)")
        let wrong = try await run(["view", "read", "--sql", "SELECT title FROM issue\nWHER x = 1"])
        #expect(wrong.status == 65 && wrong.outputText.isEmpty)
        #expect(wrong.errorText.contains("line 2, column 1: WHER is no keyword"), "\(wrong.errorText)")
        #expect(wrong.errorText.contains("did you mean WHERE?"))
        #expect(try await run(["view", "read", "--sql", sql, "--view", "{}"]).status == 64)
    }

    @Test func `a pending edit moves a row`() async throws {
        try await ingest()
        let edit =
            #"{"jsonrpc":"2.0","id":1,"method":"optimistic.update","params":{"pending_id":"e","changes":[{"op":"patch","#
            + #""resource_type":"issue","id":"i1","fields":{"votes":9}}]}}"#
        #expect(try await run(["run", "--upstream", "none"], input: edit + "\n").status == 0)
        let result = try await run(["view", "read", "--view", join, "--params", #"{"status":"active"}"#])
        #expect(result.outputText.hasPrefix(#"{"title":"Tide""#), "\(result.outputText)")
    }

    @Test(
        arguments: [
            (#"{"from":"issue","joins":[{"type":"project","onn":{}}]}"#, 65, "/joins/0/onn"),
            (#"{"from":"issue","where":{"path":"isue/title","eq":1}}"#, 65, "/where"),
            (#"{"from":"issue","from":"issue"}"#, 65, "from"),
            ("no-such-file.json", 66, "cannot be read"),
            (#"{"from":"issue","where":{"path":"issue/title","eq":{"param":"t"}}}"#, 64, "t"),
        ] as [(String, Int32, String)])
    func `a wrong rule is refused with its place`(rule: String, status: Int32, place: String) async throws {
        try await ingest()
        let result = try await run(["view", "read", "--view", rule])
        #expect(result.status == status, "\(result.errorText)")
        #expect(result.errorText.contains(place) && result.outputText.isEmpty, "\(result.errorText)")
    }

    @Test func `a database with several libraries asks for one`() async throws {
        try await ingest()
        #expect(try await run(["ingest"], input: line("issue", #"{"id":"x"}"#, library: "other")).status == 0)
        let refused = try await run(["view", "read", "--view", #"{"from":"issue"}"#])
        #expect(refused.status == 64 && refused.errorText.contains("--library"), "\(refused.errorText)")
        let result = try await run(["view", "read", "--view", #"{"from":"issue"}"#, "--library", "other"])
        #expect(result.outputText == #"{"id":"x"}"# + "\n")
    }

    @Test(arguments: [
        ("issue:i2", #""in":true,"rows":[["issue:i2","project:p1"]]"#),
        ("issue:i3", #""in":false,"why":{"at":"/joins/0/where""#),
        ("issue:i4", #""in":false,"why":{"at":"/joins/0/on/@key""#),
        ("issue:i9", #""in":false,"why":{"at":"/from""#),
    ])
    func `an explanation names the rows of an entity, or the first condition that failed`(
        entity: String, expected: String
    ) async throws {
        try await ingest()
        let arguments = ["view", "explain", "--view", join, "--params", #"{"status":"active"}"#, "--entity", entity]
        let result = try await run(arguments + ["--json"])
        #expect(result.status == 0 && result.outputText.contains(expected), "\(result.outputText)\(result.errorText)")
        #expect(result.outputText.contains(#""missing":["project:p9"]"#))
        let text = try await run(arguments)
        #expect(text.outputText.contains("\(entity) is in "), "\(text.outputText)")
    }

    @Test func `a view is defined, read by its name, listed and dropped`() async throws {
        try await ingest()
        let rule = #"{"from":"issue","select":{"t":"issue/title"},"order":[{"path":"issue/title"}],"limit":2}"#
        let defined = try await run(["view", "define", "titles", "--view", rule, "--json"])
        #expect(defined.outputText == #"{"name":"titles","library_id":"","rows":4}"# + "\n", "\(defined.errorText)")
        #expect(try await run(["view", "define", "by-status", "--view", join]).outputText == "defined by-status\n")
        let rows = try await run(["view", "read", "titles"])
        #expect(rows.outputText == #"{"t":"Lost"}"# + "\n" + #"{"t":"Tide"}"# + "\n", "\(rows.errorText)")
        let one = try await run(["view", "read", "by-status", "--params", #"{"status":"closed"}"#])
        #expect(one.outputText == #"{"title":"Wind","project":"Sky"}"# + "\n")
        let list = try await run(["view", "list", "--json"])
        #expect(list.outputLines.count == 2)
        #expect(list.outputText.contains(#""name":"by-status","library_id":"""#))
        #expect(list.outputText.contains(#""params":["status"]"#))
        let explained = try await run(["view", "explain", "titles", "--entity", "issue:i1"])
        #expect(explained.outputText.contains("issue:i1 is in 1 row"), "\(explained.errorText)")
        #expect(try await run(["view", "drop", "titles"]).outputText == "dropped titles\n")
        let gone = try await run(["view", "read", "titles"])
        #expect(gone.status == 66)
        #expect(gone.errorText.contains("no view is named titles"))
        #expect(try await run(["view", "drop", "titles"]).status == 66)
        #expect(try await run(["view", "list"]).outputText.contains("by-status"))
        #expect(try await run(["view", "read"]).status == 64)
        #expect(try await run(["view", "read", "by-status", "--view", rule]).status == 64)
        #expect(try await run(["view", "define", "", "--view", rule]).status == 64)
        #expect(try await run(["view", "define", "wrong", "--view", #"{"form":"issue"}"#]).status == 65)
    }

    @Test(arguments: ["ingest", "remove"])
    func `a defined view is true after other commands changed the database`(command: String) async throws {
        try await ingest()
        let rule = #"{"from":"issue","select":{"t":"issue/title"},"order":[{"path":"issue/title"}]}"#
        #expect(try await run(["view", "define", "titles", "--view", rule]).status == 0)
        let titles: [String]
        if command == "ingest" {
            let input = line("issue", #"{"id":"i5","title":"Calm","project":"p1"}"#)
            #expect(try await run(["ingest"], input: input).status == 0)
            titles = ["Calm", "Lost", "Tide", "Wave", "Wind"]
        } else {
            let removed = try await run(["remove", "issue:i2"])
            #expect(removed.status == 0, "\(removed.errorText)")
            titles = ["Lost", "Tide", "Wind"]
        }
        let call = #"{"jsonrpc":"2.0","id":1,"method":"view.read","params":{"view":"titles"}}"# + "\n"
        let answer = try await run(["run", "--upstream", "none"], input: call)
        let rows = titles.map { #"{"t":"\#($0)"}"# }.joined(separator: ",")
        #expect(answer.outputText.contains(#""rows":[\#(rows)]"#), "\(answer.outputText)\(answer.errorText)")
    }
}
