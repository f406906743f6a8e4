import TestTraits
import Testing
import TidemarkTestKit
import TidemarkTesting

@Suite(.pooled, .tags(.process)) struct RemoveTests {
    private static let policy = """
        type album { photos: [photo] @cacheControl(cascadeDeletion: true) cover: photo }
        type photo { album: album @cacheControl(cascadeDeletion: true) }
        """
    private static let events = [
        ("album", #"{"id":"summer","photos":["p1",{"id":"p2"}]}"#), ("photo", #"{"id":"p1","album":"summer"}"#),
        ("photo", #"{"id":"p2"}"#), ("photo", #"{"id":"p3"}"#), ("album", #"{"id":"winter","photos":[]}"#),
    ]

    private struct Fixture {
        let folder: TemporaryFolder
        var database: String { folder.path("a.db") }
        var policy: String { folder.path("p.graphqls") }

        init() async throws {
            folder = try TemporaryFolder()
            try folder.write(Array(RemoveTests.policy.utf8), to: "p.graphqls")
            var lines: [UInt8] = []
            for (index, (type, resource)) in RemoveTests.events.enumerated() {
                let line = EventLine.change(resource, type: type, sequence: Int64(index + 1))
                lines += Array((line + "\n").utf8)
            }
            #expect(try await CommandRunner().run(["ingest", "--db", database], input: lines).status == 0)
        }

        func run(_ arguments: String..., input: String = "") async throws -> CommandResult {
            try await CommandRunner().run(arguments + ["--db", database], input: Array(input.utf8))
        }

        /// Returns the remaining keys, in key order.
        func left() async throws -> [String] {
            try await run("export").outputLines.map { line in
                let type = line.contains(#""resource_type":"album""#) ? "album" : "photo"
                let id = line.split(separator: #""id":""#)[1].prefix { $0 != "\"" }
                return "\(type):\(id)"
            }
        }
    }

    @Test func `remove removes entities by id, by type and by text`() async throws {
        let fixture = try await Fixture()
        #expect(try await fixture.run("remove", "photo:p3", "photo:p9").outputText == "1 removed\n")
        #expect(
            try await fixture.run("remove", "--type", "album", "--matching", "WIN", "--json").outputText
                == "{\"dry_run\":false,\"removed\":1}\n")
        #expect(try await fixture.left() == ["album:summer", "photo:p1", "photo:p2"])
        #expect(try await fixture.run("remove", "photo:p1", "--library", "home").outputText == "0 removed\n")
        #expect(try await fixture.run("remove", "photo:p1", "album:summer").outputText == "2 removed\n")
        #expect(try await fixture.left() == ["photo:p2"])
        // A removal is not a delete: the same events restore the entity.
        let again =
            EventLine.change(#"{"id":"p1"}"#, type: "photo", sequence: 9) + "\n"
        #expect(try await fixture.run("ingest", input: again).status == 0)
        #expect(try await fixture.left() == ["photo:p1", "photo:p2"])
    }

    @Test func `without a library remove scans all, and names those with a match`() async throws {
        let fixture = try await Fixture()
        let line =
            EventLine.change(#"{"id":"p1"}"#, type: "photo", library: "home", sequence: 1)
            + "\n"
            + EventLine.change(#"{"id":"n"}"#, type: "note", library: "work", sequence: 1)
        #expect(try await fixture.run("ingest", input: line).status == 0)
        #expect(
            try await fixture.run("remove", "photo:p1", "--dry-run").outputText
                == "photo:p1 in library \"\"\nphoto:p1 in library \"home\"\n2 would be removed, in 2 of 3 libraries: \"\", \"home\"\n"
        )
        #expect(
            try await fixture.run("remove", "photo:p1", "--dry-run", "--json").outputText
                == #"{"dry_run":true,"removed":0,"libraries":{"":1,"home":1},"keys":["photo:p1"]}"# + "\n")
        #expect(try await fixture.run("remove", "note:none").outputText == "0 removed, in 0 of 3 libraries\n")
        #expect(
            try await fixture.run("remove", "--type", "note", "--json").outputText
                == #"{"dry_run":false,"removed":1,"libraries":{"work":1}}"# + "\n")
        #expect(try await fixture.run("remove", "photo:p1", "--library", "home").outputText == "1 removed\n")
        #expect(try await fixture.left().contains("photo:p1"))
    }

    @Test func `a dry run reports the removals and changes nothing`() async throws {
        let fixture = try await Fixture()
        let command = ["remove", "album:summer", "--cascade", "--policy", fixture.policy, "--db", fixture.database]
        let told = try await CommandRunner().run(command + ["--dry-run"])
        #expect(told.outputText == "album:summer\nphoto:p1\nphoto:p2\n3 would be removed\n" && told.status == 0)
        #expect(
            try await CommandRunner().run(command + ["--dry-run", "--json"]).outputText
                == #"{"dry_run":true,"removed":0,"keys":["album:summer","photo:p1","photo:p2"]}"# + "\n")
        #expect(try await fixture.left().count == 5)
        #expect(try await CommandRunner().run(command).outputText == "3 removed\n")
        #expect(try await fixture.left() == ["album:winter", "photo:p3"])
    }

    @Test func `ingest and run delete the references that the policy names`() async throws {
        let fixture = try await Fixture()
        let delete =
            EventLine.delete("summer", type: "album", sequence: 6) + "\n"
        #expect(try await fixture.run("ingest", "--policy", fixture.policy, input: delete).status == 0)
        #expect(try await fixture.left() == ["album:winter", "photo:p3"])
        let put = #"{"op":"put","resource_type":"album","resource":{"id":"x","photos":["p3"]}}"#
        let operations = #"[\#(put),{"op":"delete","resource_type":"album","id":"x"}]"#
        let request =
            #"{"jsonrpc":"2.0","id":1,"method":"cache.transaction","params":{"operations":\#(operations)}}"# + "\n"
        #expect(
            try await fixture.run("run", "--policy", fixture.policy, "--upstream", "none", input: request).status == 0)
        #expect(try await fixture.left() == ["album:winter"])
    }

    @Test(arguments: ["ingest", "run", "remove"])
    func `a policy that cannot be used ends with 78 before anything is done`(command: String) async throws {
        let fixture = try await Fixture()
        let path = fixture.folder.path("bad.graphqls")
        try fixture.folder.write(
            Array("type A {\n  b: None\n  c: Int @cacheControl(maxAge: -1)\n}".utf8), to: "bad.graphqls")
        let names = command == "remove" ? ["photo:p1"] : []
        let result = try await CommandRunner()
            .run([command, "--db", fixture.database, "--policy", path] + names, input: [])
        #expect(result.status == 78 && result.outputText == "")
        let lines = result.errorText.split(separator: "\n").map(String.init)
        #expect(lines.count == 3)
        #expect(lines.first?.hasPrefix("\(path):2:6: unknown_type: ") == true)
        #expect(lines.dropFirst().first?.hasPrefix("\(path):3:") == true)
        #expect(lines.last?.hasPrefix("tidemark: bad_policy: 2 errors; ") == true)
        #expect(try await fixture.left().count == 5)
    }
}
