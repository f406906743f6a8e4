import TestTraits
import Testing
import TidemarkTestKit
import TidemarkTesting

/// `tidemark scope check`: a file of scopes, and why a client sees an entity or not.
@Suite(.pooled, .tags(.process)) struct ScopeCheckTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private static let scopes = #"""
        {"scopes": {
          "project": {
            "params": {"me": {"claim": "sub"}, "project": {"query": "string"}},
            "require": [{"type": "membership", "on": {"/user": {"param": "me"}, "/project": {"param": "project"}}}],
            "types": {
              "project": {"where": {"path": "/id", "eq": {"param": "project"}}},
              "issue": {"where": {"path": "/project", "eq": {"param": "project"}}, "without": ["internal_notes"]},
              "comment": {"joins": [{"type": "issue", "kind": "exists", "on": {"@key": "comment/issue"},
                                     "where": {"path": "/project", "eq": {"param": "project"}}}]}}},
          "mine": {
            "library": "home",
            "params": {"me": {"claim": "sub"}},
            "types": {"note": {"where": {"path": "/owner", "eq": {"param": "me"}}}}}}}
        """#

    private func ingest() async throws {
        func line(_ type: String, _ resource: String, library: String = "") -> String {
            EventLine.change(resource, type: type, library: library) + "\n"
        }
        let lines =
            line("project", #"{"id":"p1","name":"Sea"}"#)
            + line("membership", #"{"id":"m1","user":"u1","project":"p1"}"#)
            + line("issue", #"{"id":"i1","title":"Tide","project":"p1","internal_notes":"late"}"#)
            + line("issue", #"{"id":"i2","title":"Wave","project":"p2"}"#)
            + line("comment", #"{"id":"c1","issue":"i1"}"#)
            + line("comment", #"{"id":"c2","issue":"i2"}"#)
            + line("comment", #"{"id":"c3","issue":"i9"}"#)
            + line("note", #"{"id":"n1","owner":"u1"}"#, library: "home")
        let result = try await CommandRunner().run(["ingest", "--db", folder.path("a.db")], input: Array(lines.utf8))
        #expect(result.status == 0, "\(result.errorText)")
    }

    /// Runs the command with the file of scopes.
    private func check(_ arguments: [String] = [], scopes: String = scopes) async throws -> CommandResult {
        try folder.write(Array(scopes.utf8), to: "scopes.json")
        return try await CommandRunner().run(["scope", "check", "--scopes", folder.path("scopes.json")] + arguments)
    }

    /// Asks about an entity in the scope `project`.
    private func ask(_ entity: String, sub: String = "u1", project: String = "p1", _ more: String...) async throws
        -> String
    {
        let result = try await check(
            [
                "--scope", "project", "--claims", #"{"sub":"\#(sub)"}"#, "--entity", entity, "--param",
                "project=\(project)", "--db", folder.path("a.db"),
            ] + more)
        #expect(result.status == 0, "\(result.errorText)")
        return result.outputText
    }

    // MARK: The file

    @Test func `a sound file is listed`() async throws {
        let result = try await check()
        #expect(result.status == 0, "\(result.errorText)")
        #expect(
            result.outputText == """
                mine of the library home: types note
                project: types comment, issue, project; the address gives project
                sound: 2 scopes, nothing wrong

                """)
        let json = try await check(["--json"])
        #expect(
            json.outputText == #"{"scopes":[{"name":"mine","library_id":"home","types":["note"],"params":[]},"#
                + #"{"name":"project","library_id":null,"types":["comment","issue","project"],"params":["project"]}]}"#
                + "\n")
    }

    @Test func `a mistake in the file ends with 78, its place and the nearest name`() async throws {
        let wrong = try await check(scopes: ScopeCheckTests.scopes.replacing(#""without""#, with: #""witout""#))
        #expect(wrong.status == 78 && wrong.outputText.isEmpty)
        #expect(
            wrong.errorText.hasPrefix("tidemark: bad_scopes: /scopes/project/types/issue/witout of the file of scopes"))
        #expect(wrong.errorText.contains(#"did you mean "without"?"#))
        let oracle = try await check(
            scopes: ScopeCheckTests.scopes.replacing(
                #""without": ["internal_notes"]"#, with: #""without": ["project"]"#))
        #expect(oracle.status == 78 && oracle.errorText.contains("whoever tries values learns it"))
    }

    @Test func `a file that is not there ends with 66`() async throws {
        let result = try await CommandRunner().run(["scope", "check", "--scopes", folder.path("none.json")])
        #expect(result.status == 66 && result.errorText.hasPrefix("tidemark: not_found: "), "\(result.errorText)")
    }

    // MARK: An entity

    @Test func `an entity in the scope is shown as it is sent`() async throws {
        try await ingest()
        #expect(
            try await ask("issue:i1")
                == #"issue:i1 is in the scope project: clients are sent {"id":"i1","title":"Tide","project":"p1"}"#
                + "\n")
        #expect(
            try await ask("issue:i1", "--json")
                == #"{"scope":"project","entity":"issue:i1","in":true,"sent":{"id":"i1","title":"Tide","project":"p1"}}"#
                + "\n")
    }

    @Test func `every reason for which an entity is hidden has its sentence`() async throws {
        try await ingest()
        let answers = [
            try await ask("issue:i2"), try await ask("comment:c2"), try await ask("comment:c3"),
            try await ask("membership:m1"), try await ask("issue:i9"), try await ask("issue:i1", sub: "u2"),
            try await ask("issue:i1", project: "p2"),
        ]
        let predicate = #"{"eq":{"param":"project"},"path":"/project"}"#
        let condition = #"{"on":{"/project":{"param":"project"},"/user":{"param":"me"}},"type":"membership"}"#
        let forbidden =
            "issue:i1 is not in the scope project, which answers 403: nothing matches /scopes/project/require/0, \(condition)\n"
        let expected = [
            #"issue:i2 is not in the scope project: the value of issue:i2 is "p2", and /scopes/project/types/issue/where asks for \#(predicate)"#
                + "\n",
            #"comment:c2 is not in the scope project: the value of issue:i2 is "p2", and /scopes/project/types/comment/joins/0/where asks for \#(predicate)"#
                + "\n",
            #"comment:c3 is not in the scope project: the value of comment:c3 is "i9", and /scopes/project/types/comment/joins/0/on/@key asks for {"@key":"comment/issue"}"#
                + "\n",
            "membership:m1 is not in the scope project: it has no such type; its types are comment, issue, project\n",
            "issue:i9 is not in the scope project: the cache does not show issue:i9\n",
            forbidden, forbidden,
        ]
        #expect(answers == expected)
    }

    @Test func `reasons are members of the JSON`() async throws {
        try await ingest()
        #expect(
            try await ask("issue:i2", "--json")
                == #"{"scope":"project","entity":"issue:i2","in":false,"why":{"at":"/scopes/project/types/issue/where","#
                + #""condition":{"eq":{"param":"project"},"path":"/project"},"value":"p2","entity":"issue:i2","#
                + #""text":"the value of issue:i2 is \"p2\", and /scopes/project/types/issue/where asks for "#
                + #"{\"eq\":{\"param\":\"project\"},\"path\":\"/project\"}"}}"# + "\n")
        let forbidden = try await ask("issue:i1", sub: "u2", "--json")
        #expect(
            forbidden.hasPrefix(
                #"{"scope":"project","entity":"issue:i1","in":false,"why":{"status":403,"at":"/scopes/project/require/0","#
            ))
    }

    @Test func `without a name every scope answers, each with the parameters that it takes`() async throws {
        try await ingest()
        try folder.write(Array(#"{"sub":"u1","groups":[1,2]}"#.utf8), to: "claims.json")
        let result = try await check([
            "--claims", folder.path("claims.json"), "--entity", "note:n1", "--db", folder.path("a.db"),
        ])
        #expect(
            result.outputText == """
                note:n1 is in the scope mine: clients are sent {"id":"n1","owner":"u1"}
                note:n1 is not in the scope project, which answers 400: the address lacks the parameter "project"; \
                pass it with --param

                """, "\(result.errorText)")
        let claimless = try await check(
            ["--scope", "mine", "--claims", #"{"sub":null}"#, "--entity", "note:n1", "--db", folder.path("a.db")])
        #expect(
            claimless.outputText == "note:n1 is not in the scope mine, which answers 403: the claim of "
                + "/scopes/mine/params/me is absent, null or an object\n")
    }

    @Test func `pending edits do not count, and a writer may run`() async throws {
        try await ingest()
        let edit =
            #"{"jsonrpc":"2.0","id":1,"method":"optimistic.update","params":{"pending_id":"e","changes":[{"op":"patch","#
            + #""resource_type":"issue","id":"i2","fields":{"project":"p1"}}]}}"#
        let database = folder.path("a.db")
        let edited = try await CommandRunner().run(
            ["run", "--db", database, "--upstream", "none"], input: Array((edit + "\n").utf8))
        #expect(edited.status == 0, "\(edited.errorText)")
        let writer = try LiveCommand(["run", "--db", database, "--upstream", "none"])
        writer.write(Array((#"{"jsonrpc":"2.0","id":1,"method":"cache.stats"}"# + "\n").utf8))
        guard case .line = writer.next() else {
            Issue.record("the writer does not answer")
            return
        }
        let answer = try await ask("issue:i2")
        #expect(answer.contains(#"the value of issue:i2 is "p2""#), "\(answer)")
        writer.closeInput()
        #expect(writer.finish().status == 0)
    }

    // MARK: The command line

    @Test(arguments: [
        ["--claims", "{}"], ["--entity", "issue:i1"], ["--param", "a=b"],
        ["--claims", "{}", "--entity", "issue:i1", "--db", ""], ["--param", "=b"],
    ])
    func `options that do not belong together end with 64`(arguments: [String]) async throws {
        #expect(try await check(arguments).status == 64)
    }

    @Test func `a name or a parameter that no scope has ends with 64 and the nearest`() async throws {
        try await ingest()
        let database = ["--db", folder.path("a.db"), "--entity", "issue:i1", "--claims"]
        let parameter = try await check(database + [#"{"sub":"u1"}"#, "--param", "projet=p1"])
        #expect(parameter.status == 64 && parameter.errorText.contains("did you mean project?"))
        let scope = try await check(["--scope", "projekt"])
        #expect(scope.status == 64 && scope.errorText.contains("did you mean project?"))
        for claims in [#"{"sub":"a","sub":"b"}"#, "{", "[]"] {
            try folder.write(Array(claims.utf8), to: "claims.json")
            let result = try await check(database + [folder.path("claims.json")])
            #expect(result.status == 64 && result.errorText.contains("--claims"), "\(result.errorText)")
        }
        let missing = try await check(["--claims", "{}", "--entity", "issue:i1", "--db", folder.path("none.db")])
        #expect(missing.status == 66)
    }
}
