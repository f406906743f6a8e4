import Foundation
import TestTraits
import Testing
import TidemarkTestKit
import TidemarkTesting

/// `view read --watch` and `bisect --until-view` as child processes.
///
/// Source: Protocol/views.md, command line; Protocol/recordings.md, looking for a turn.
@Suite(.pooled, .tags(.process)) struct ViewWatchTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private let rule =
        #"{"from":"issue","joins":[{"type":"project","on":{"@key":"issue/project"}}],"#
        + #""select":{"id":"issue/id","project":"project/name"},"order":[{"path":"issue/votes"}]}"#

    private let lines = [
        EventLine.change(#"{"id":"p1","name":"Sea"}"#, type: "project"),
        EventLine.change(#"{"id":"i1","project":"p1","votes":2}"#, type: "issue"),
        EventLine.change(#"{"id":"i2","project":"p1","votes":1}"#, type: "issue"),
        EventLine.change(#"{"id":"p1","name":"Sky"}"#, type: "project"),
    ]

    private var input: [UInt8] { Array(lines.map { $0 + "\n" }.joined().utf8) }

    private func watch(
        _ view: [String], input: [UInt8] = [], interruption: CommandInterruption? = nil
    ) async throws -> CommandResult {
        try await CommandRunner().run(
            ["view", "read", "--watch", "--db", folder.path("a.db")] + view, input: input, interruption: interruption)
    }

    /// The patches of the changes that were printed.
    private func patches(_ result: CommandResult) throws -> [NSArray] {
        try result.outputLines.dropFirst().map { line in
            let change = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? NSDictionary)
            return try #require(change["patch"] as? NSArray)
        }
    }

    @Test func `a watch prints the result, then each change as a line, and ends with its input`() async throws {
        let edit =
            #"{"jsonrpc":"2.0","id":1,"method":"optimistic.update","params":{"pending_id":"e","changes":[{"op":"patch","#
            + #""resource_type":"issue","id":"i1","fields":{"votes":0}}]}}"#
        let result = try await watch(["--view", rule], input: input + Array((edit + "\n").utf8))
        #expect(result.status == 0, "\(result.errorText)")
        #expect(result.errorText == "")
        #expect(result.outputLines.first?.hasPrefix(#"{"rows":[],"as_of":null,"#) == true, "\(result.outputText)")
        let told: [NSArray] = [
            [["op": "add", "path": "/0", "value": ["id": "i1", "project": "Sea"]]],
            [["op": "add", "path": "/0", "value": ["id": "i2", "project": "Sea"]]],
            [
                ["op": "replace", "path": "/0/project", "value": "Sky"],
                ["op": "replace", "path": "/1/project", "value": "Sky"],
            ],
            [["op": "move", "from": "/1", "path": "/0"]],
        ]
        // A slow machine may print some as one; they then are the same operations.
        #expect(
            try patches(result).flatMap { $0.map { $0 as? NSDictionary } }
                == told.flatMap { $0.map { $0 as? NSDictionary } })
        #expect(result.outputLines.last?.contains(#""pending":true"#) == true)
        // What was read is stored.
        let read = try await CommandRunner().run(["view", "read", "--view", rule, "--db", folder.path("a.db")])
        #expect(read.outputText == #"{"id":"i1","project":"Sky"}"# + "\n" + #"{"id":"i2","project":"Sky"}"# + "\n")
    }

    @Test(arguments: [SIGINT, SIGTERM])
    func `a watch of a defined view ends cleanly with a signal`(signal: Int32) async throws {
        #expect(try await CommandRunner().run(["ingest", "--db", folder.path("a.db")], input: input).status == 0)
        let define = ["view", "define", "rows", "--view", rule, "--db", folder.path("a.db")]
        #expect(try await CommandRunner().run(define).status == 0)
        let change = EventLine.change(#"{"id":"i3","project":"p1","votes":3}"#, type: "issue") + "\n"
        let result = try await watch(
            ["rows"], input: Array(change.utf8),
            interruption: CommandInterruption(signal: signal, afterOutputLines: 2))
        #expect(result.status == 0, "\(result.errorText)")
        #expect(result.outputLines.count == 2)
        #expect(result.outputLines.last?.contains(#"{"id":"i3","project":"Sky"}"#) == true, "\(result.outputText)")
        // Everything that was read is written.
        let read = try await CommandRunner().run(["view", "read", "rows", "--db", folder.path("a.db")])
        #expect(read.outputLines.count == 3)
    }

    @Test func `a watch ends when its view is dropped`() async throws {
        #expect(try await CommandRunner().run(["ingest", "--db", folder.path("a.db")], input: input).status == 0)
        let define = ["view", "define", "rows", "--view", rule, "--db", folder.path("a.db")]
        #expect(try await CommandRunner().run(define).status == 0)
        let drop = #"{"jsonrpc":"2.0","id":1,"method":"view.drop","params":{"name":"rows"}}"# + "\n"
        let result = try await watch(["rows"], input: Array(drop.utf8))
        #expect(result.status == 0)
        #expect(result.outputLines.last == #"{"subscription":1,"reason":"dropped"}"#)
        #expect(result.errorText.contains("the view was dropped"))
    }

    @Test func `a watch that cannot begin changes no file`() async throws {
        let path = folder.path("a.db")
        #expect(try await watch(["--view", #"{"form":"issue"}"#]).status == 65)
        #expect(try await watch(["--view", #"{"from":"i","where":{"path":"i/x","eq":{"param":"x"}}}"#]).status == 64)
        #expect(try await watch(["rows"]).status == 66)
        #expect(!FileManager.default.fileExists(atPath: path))
        #expect(try await CommandRunner().run(["ingest", "--db", path], input: input).status == 0)
        let unknown = try await watch(["rows"])
        #expect(unknown.status == 66 && unknown.outputText == "", "\(unknown.errorText)")
        let stray = ["view", "read", "--view", rule, "--db", path, "--from", "nats://localhost:1/S"]
        #expect(try await CommandRunner().run(stray).status == 64)
    }

    // MARK: Turns

    @Test func `bisect finds the event after which a view has a row, by its rule and by its name`() async throws {
        let stream = try folder.write(input, to: "events.ndjson")
        func found(_ arguments: [String], source: String) async throws -> NSDictionary {
            let result = try await CommandRunner().run(["bisect", source, "--json"] + arguments)
            #expect(result.status == 0, "\(result.errorText)")
            return try #require(try JSONSerialization.jsonObject(with: Data(result.output)) as? NSDictionary)
        }
        func inputLine(_ turn: Any?) -> Int? { (turn as? NSDictionary)?["input_line"] as? Int }
        let sky = try await found(["--until-view", rule, "--row", "/project=Sky"], source: stream)
        #expect(inputLine(sky["first"]) == 4 && sky["turns"] as? Int == 1)
        let sea = try await found(["--until-view", rule, "--row", #"/project="Sea""#, "--all"], source: stream)
        #expect((sea["all"] as? NSArray)?.map { inputLine($0) } == [2, 4])
        #expect(sea["final"] as? Bool == false)
        let second = #"{"from":"issue","where":{"path":"issue/votes","eq":{"param":"n"}}}"#
        let parameters = ["--until-view", second, "--params", #"{"n":1}"#, "--row", "/votes=1"]
        #expect(inputLine(try await found(parameters, source: stream)["first"]) == 3)

        // A recording that began with a database in which the view was defined.
        #expect(try await CommandRunner().run(["ingest", "--db", folder.path("a.db")], input: input).status == 0)
        let define = ["view", "define", "rows", "--view", rule, "--db", folder.path("a.db")]
        #expect(try await CommandRunner().run(define).status == 0)
        let more =
            EventLine.change(#"{"id":"i3","project":"p1","votes":3}"#, type: "issue") + "\n"
            + EventLine.delete("i1", type: "issue") + "\n"
        let recording = folder.path("session.rec")
        let ingest = ["ingest", "--db", folder.path("a.db"), "--record", recording]
        #expect(try await CommandRunner().run(ingest, input: Array(more.utf8)).status == 0)
        let gone = try await found(["--until-view", "rows", "--row", "/id=i1"], source: recording)
        #expect(gone["initial"] as? Bool == true && inputLine(gone["first"]) == 2)
    }

    @Test func `bisect refuses views that it cannot check`() async throws {
        let stream = try folder.write(input, to: "events.ndjson")
        func status(_ arguments: String...) async throws -> Int32 {
            try await CommandRunner().run(["bisect", stream] + arguments).status
        }
        #expect(try await status("--until-view", rule) == 64)
        #expect(try await status("--row", "/id=i1") == 64)
        #expect(try await status("--until-view", rule, "--row", "id=i1") == 64)
        #expect(try await status("--until-view", rule, "--row", "/id") == 64)
        #expect(try await status("--until-view", rule, "--row", "/id=i1", "--entity", "issue:i1") == 64)
        #expect(try await status("--until-view", rule, "--row", "/id=i1", "--params", #"{"x":1}"#) == 64)
        #expect(try await status("--until-view", #"{"form":"issue"}"#, "--row", "/id=i1") == 65)
        #expect(try await status("--until-view", "rows", "--row", "/id=i1") == 66)
    }
}
