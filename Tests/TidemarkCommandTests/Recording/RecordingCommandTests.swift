import Foundation
import TestTraits
import Testing
import TidemarkReferenceModel
import TidemarkTestKit
import TidemarkTesting

/// `--record`, `replay`, `bisect` and `verify --repair` as child processes.
@Suite(.pooled, .tags(.process)) struct RecordingCommandTests {
    private static let lines = [
        EventLine.change(#"{"id":"1","name":"a"}"#, library: "a", sequence: 1),
        EventLine.change(#"{"id":"2","name":"b"}"#, library: "a", sequence: 2),
        "nonsense",
        EventLine.change(#"{"id":"1","name":"c"}"#, library: "a", sequence: 3),
        EventLine.delete("1", library: "a", sequence: 4),
        EventLine.change(#"{"id":"1","name":"d"}"#, library: "a", sequence: 5),
        EventLine.change(#"{"id":"9"}"#, library: "a", sequence: 9),
    ]

    private let folder: TemporaryFolder
    private let recording: String
    private let stream: String

    init() async throws {
        folder = try TemporaryFolder()
        recording = folder.path("a.rec")
        let bytes = Array((Self.lines.joined(separator: "\n") + "\n").utf8)
        stream = try folder.write(bytes, to: "stream")
        let ingest = try await CommandRunner().run(
            ["ingest", "--db", folder.path("live.db"), "--record", recording], input: bytes)
        try #require(ingest.status == 0, "\(ingest.errorText)")
    }

    private func run(_ arguments: [String]) async throws -> CommandResult { try await CommandRunner().run(arguments) }

    @Test func `a line that leaves quarantine in a session does so in the replay`() async throws {
        let event = { (members: String) in
            #"{"event":{"ResourceChanged":{"resource_type":"file","resource":{"id":"a",\#(members)},"metadata":{}}}}"#
        }
        let request = { (id: Int, method: String, params: String) in
            #"{"jsonrpc":"2.0","id":\#(id),"method":"\#(method)","params":\#(params)}"#
        }
        let lines = [
            event(#""text":"\#(String(repeating: "x", count: 40))""#),
            event(#""more":"\#(String(repeating: "y", count: 40))""#),
            request(1, "quarantine.retry", #"{"all":true}"#),
            request(2, "cache.remove", #"{"resource_type":"file","ids":["a"]}"#),
            request(3, "quarantine.retry", #"{"numbers":[1]}"#),
        ]
        let (database, replayed, recording) = (folder.path("s.db"), folder.path("r.db"), folder.path("s.rec"))
        let session = try await CommandRunner().run(
            ["run", "--db", database, "--upstream", "none", "--max-entity-bytes", "80", "--record", recording],
            input: Array(lines.joined(separator: "\n").utf8))
        #expect(session.status == 0, "\(session.errorText)")
        #expect(session.outputText.contains(#""id":1,"result":{"retried":1,"applied":0,"superseded":0,"remaining":1}"#))
        #expect(session.outputText.contains(#""id":3,"result":{"retried":1,"applied":1,"superseded":0,"remaining":0}"#))
        let replay = try await run(["replay", recording, "--json", "--db", replayed])
        #expect(replay.status == 0 && replay.outputText.contains(#""divergence":null"#), "\(replay.outputText)")
        let exports = [
            try await run(["export", "--db", database]).output, try await run(["export", "--db", replayed]).output,
        ]
        #expect(exports[0] == exports[1] && !exports[0].isEmpty)
    }

    @Test func `an entity is shown as it was at each sequence, of a recording and of a stream`() async throws {
        let wanted = [
            (1, #"{"id":"1","name":"a"}"#), (2, #"{"id":"1","name":"a"}"#), (3, #"{"id":"1","name":"c"}"#), (4, ""),
            (5, #"{"id":"1","name":"d"}"#),
        ]
        for source in [recording, stream] {
            for (sequence, text) in wanted {
                let result = try await run(["replay", source, "--to-sequence", "\(sequence)", "--get", "file:1"])
                #expect(result.status == 0, "\(result.errorText)")
                #expect(result.outputText == (text.isEmpty ? "" : text + "\n"), "\(sequence)")
            }
        }
        let list = try await run(["replay", recording, "--to-sequence", "4", "--list"])
        #expect(list.outputLines.count == 1)
        let late = try await run(["replay", recording, "--to-sequence", "10"])
        #expect(late.status == 65)
        #expect(late.errorText.hasPrefix("tidemark: not_reached: "))
    }

    @Test func `lines that could not be used are counted`() async throws {
        for source in [recording, stream] {
            let text = try await run(["replay", source]).outputText
            #expect(text.contains("1 line could not be used; "), "\(text)")
            #expect(try await run(["replay", source, "--json"]).outputText.contains(#""quarantined":1,"#))
        }
        let before = try await run(["replay", stream, "--to-sequence", "2"]).outputText
        #expect(!before.contains("could not be used"))
    }

    @Test func `damage that is found while copying makes a database anew, and the recording begins there`() async throws
    {
        let database = folder.path("damaged.db")
        let many = (0..<3_000).map {
            EventLine.change(#"{"id":"id-\#($0)","n":\#($0)}"#)
        }
        let made = try await CommandRunner().run(
            ["ingest", "--db", database], input: Array(many.joined(separator: "\n").utf8))
        #expect(made.status == 0, "\(made.errorText)")
        var bytes = try Data(contentsOf: URL(fileURLWithPath: database))
        let place = try #require(bytes.range(of: Data("id-1500".utf8))?.lowerBound)
        let page = place / 8_192 * 8_192
        bytes.replaceSubrange(page..<page + 8_192, with: repeatElement(0xA5, count: 8_192))
        try bytes.write(to: URL(fileURLWithPath: database))
        let recording = folder.path("anew.rec")
        let result = try await CommandRunner().run(
            ["ingest", "--db", database, "--record", recording], input: Array(Self.lines[0].utf8))
        #expect(result.status == 0, "\(result.errorText)")
        #expect(result.errorText.hasPrefix("tidemark: rebuilt: the database was damaged (SQLite 11: "))
        let listed = try await run(["replay", recording, "--list"])
        #expect(listed.status == 0, "\(listed.errorText)")
        #expect(listed.outputText == (try await run(["export", "--db", database])).outputText)
    }

    @Test func `a replay keeps its database, and never writes over one`() async throws {
        let copy = folder.path("copy.db")
        #expect(try await run(["replay", recording, "--db", copy]).status == 0)
        let live = try await run(["export", "--db", folder.path("live.db")])
        #expect(try await run(["export", "--db", copy]).outputText == live.outputText)
        #expect(try await run(["replay", recording, "--db", copy]).status == 73)
        let again = folder.path("again.rec")
        #expect(try await run(["replay", stream, "--record", again]).status == 0)
        let listed = try await run(["replay", again, "--list"])
        #expect(listed.outputText == live.outputText)
    }

    @Test func `bisect finds the first event that changed the predicate, and all of them`() async throws {
        for source in [recording, stream] {
            func found(_ arguments: [String]) async throws -> ReferenceJSON {
                let result = try await run(["bisect", source, "--library", "a", "--json"] + arguments)
                #expect(result.status == 0, "\(result.errorText)")
                return try ReferenceJSONParser.parse(Array(result.output.dropLast()))
            }
            func text(_ value: ReferenceJSON?) -> String { String(decoding: value?.written ?? [], as: UTF8.self) }
            let exists = try await found(["--entity", "file:1", "--all"])
            #expect(text(exists.member("turns")) == "3")
            #expect(text(exists.member("first")?.member("sequence")) == "1")
            #expect(text(exists.member("initial")) == "false")
            #expect(text(exists.member("final")) == "true")
            #expect(
                exists.member("all")?.elements?.map { text($0.member("sequence")) } == ["1", "4", "5"])
            let named = try await found(["--entity", "file:1", "--where", #"{"path":"/name","eq":"c"}"#])
            #expect(text(named.member("first")?.member("input_line")) == "4")
            #expect(text(named.member("first")?.member("sequence")) == "3")
            let stale = try await found(["--state", "stale"])
            #expect(text(stale.member("first")?.member("name")) == #""gaps""#)
            let never = try await found(["--entity", "file:none"])
            #expect(text(never.member("first")) == "null")
        }
        #expect(try await run(["bisect", recording]).status == 64)
        #expect(try await run(["bisect", recording, "--entity", "file:1", "--where", "{"]).status == 64)
    }

    @Test func `a different outcome, a torn line and a bad line are reported with their place`() async throws {
        let text = String(decoding: try Data(contentsOf: URL(fileURLWithPath: recording)), as: UTF8.self)
        let changed = text.replacingOccurrences(of: #""outcome":{"quarantined":1}"#, with: #""outcome":{"applied":1}"#)
        #expect(changed != text)
        let diverged = try await run(["replay", try folder.write(Array(changed.utf8), to: "b.rec")])
        #expect(diverged.status == 65)
        #expect(diverged.errorText.contains("tidemark: diverged: step 3 (lines) had another outcome;"))
        #expect(diverged.errorText.contains("b.rec: line 4;"))
        let torn = try await run(["replay", try folder.write(Array(text.utf8.dropLast(70)), to: "c.rec")])
        #expect(torn.status == 0, "\(torn.errorText)")
        #expect(torn.errorText.hasPrefix("tidemark: torn: "))
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        lines[3] = "nonsense"
        let bad = try await run(["replay", try folder.write(Array(lines.joined(separator: "\n").utf8), to: "d.rec")])
        #expect(bad.status == 65)
        #expect(bad.errorText.hasPrefix("tidemark: bad_recording: "))
        #expect(bad.errorText.contains("d.rec: line 4, byte "))
        #expect(try await run(["replay", folder.path("none")]).status == 66)
    }

    @Test func `a recording continues over restarts with the existing database`() async throws {
        let more = Array(
            EventLine.change(#"{"id":"9","n":1}"#, metadata: "{}", library: "a", sequence: 10)
                .utf8)
        let second = folder.path("second.rec")
        let ingest = try await CommandRunner().run(
            ["ingest", "--db", folder.path("live.db"), "--record", second], input: more)
        #expect(ingest.status == 0)
        let replay = try await run(["replay", second, "--list"])
        #expect(replay.status == 0, "\(replay.errorText)")
        let live = try await run(["export", "--db", folder.path("live.db")])
        #expect(replay.outputText == live.outputText)
        #expect(live.outputText.contains(#"{"id":"9","n":1}"#))
    }

    @Test func `a recording in an empty file that others can read is its user's alone`() async throws {
        let path = folder.path("empty.rec")
        try #require(
            FileManager.default.createFile(atPath: path, contents: nil, attributes: [.posixPermissions: 0o644]))
        let result = try await run(["ingest", "--db", folder.path("empty.db"), "--record", path])
        #expect(result.status == 0, "\(result.errorText)")
        let permissions = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        #expect(permissions == 0o600)
    }

    @Test func `a recording never overwrites an existing file`() async throws {
        let before = try Data(contentsOf: URL(fileURLWithPath: recording))
        for command in [
            ["ingest", "--db", folder.path("b.db")], ["run", "--db", folder.path("b.db")], ["replay", stream],
        ] {
            let result = try await run(command + ["--record", recording])
            #expect(result.status == 73, "\(result.errorText)")
            #expect(
                result.errorText.hasPrefix(
                    "tidemark: cannot_create: \(recording) exists already and was not overwritten; "))
            #expect(result.outputText == "")
        }
        #expect(try Data(contentsOf: URL(fileURLWithPath: recording)) == before)
        #expect(!FileManager.default.fileExists(atPath: folder.path("b.db")))
        // The files that a recording makes beside itself never overwrite another file either.
        for suffix in [".base", ".new"] {
            let name = "other\(suffix).rec"
            try folder.write(Array("mine".utf8), to: name + suffix)
            #expect(try await run(["replay", stream, "--record", folder.path(name)]).status == 73)
            #expect(try folder.read(name + suffix) == Array("mine".utf8))
        }
        try folder.write([], to: "empty.rec")
        #expect(try await run(["replay", stream, "--record", folder.path("empty.rec")]).status == 0)
    }

    @Test func `a sequence that the recording no longer has is not shown as another one`() async throws {
        let more = Array(
            EventLine.change(#"{"id":"9","n":1}"#, library: "a", sequence: 10)
                .utf8)
        let second = folder.path("late.rec")
        let ingest = try await CommandRunner().run(
            ["ingest", "--db", folder.path("live.db"), "--record", second], input: more)
        #expect(ingest.status == 0)
        for arguments in [[], ["--library", "a"]] {
            let gone = try await run(["replay", second, "--to-sequence", "3", "--list"] + arguments)
            #expect(gone.status == 65)
            #expect(gone.outputText == "")
            #expect(
                gone.errorText.hasPrefix(
                    "tidemark: not_reached: the recording does not hold 3: it begins at 9; "))
            for held in ["9", "10"] {
                #expect(try await run(["replay", second, "--to-sequence", held, "--list"] + arguments).status == 0)
            }
        }
    }

    @Test func `a file that is neither a recording nor a stream is refused`() async throws {
        let files: [String: [UInt8]] = [
            "empty": [], "blank": Array("\n \n".utf8), "text": Array("some notes\nof somebody\n".utf8),
            "json": Array("{\n  \"name\": \"x\"\n}\n".utf8),
            "database": [UInt8](try Data(contentsOf: URL(fileURLWithPath: folder.path("live.db")))),
        ]
        for (name, bytes) in files {
            let path = try folder.write(bytes, to: name)
            for command in [["replay", path], ["bisect", path, "--entity", "file:1"]] {
                let result = try await run(command)
                #expect(result.status == 65, "\(name): \(result.errorText)")
                #expect(
                    result.errorText.hasPrefix("tidemark: bad_recording: the file is not a recording, and no line "),
                    "\(result.errorText)")
                #expect(result.outputText == "")
            }
        }
    }

    @Test func `without a library bisect scans all, and reports this`() async throws {
        for source in [recording, stream] {
            let found = try await run(["bisect", source, "--entity", "file:1"])
            #expect(found.outputText.contains("sequence 1\n"), "\(found.outputText)")
            #expect(found.outputText.hasSuffix("searched all libraries: \"a\"\n"), "\(found.outputText)")
            let state = try await run(["bisect", source, "--state", "stale"])
            #expect(state.outputText.contains("true after step"), "\(state.outputText)")
            let named = try await run(["bisect", source, "--entity", "file:1", "--library", ""])
            #expect(named.outputText == "it is false from the start to the end\n")
            let rule = try await run(["bisect", source, "--entity", "file:1", "--where", #"{"path":"/name","eq":"c"}"#])
            #expect(rule.outputText.contains("sequence 3\n"), "\(rule.outputText)")
        }
    }

    @Test func `when the recording cannot be made, the input is not read`() async throws {
        let result = try await CommandRunner().run(
            ["ingest", "--db", folder.path("b.db"), "--record", folder.path("no/such/a.rec")], input: [])
        #expect(result.status == 73)
        let letter = try await CommandRunner().run(
            ["ingest", "--db", folder.path("b.db"), "--record", stream], input: [])
        #expect(letter.status == 73)
        #expect(
            try Data(contentsOf: URL(fileURLWithPath: stream)).count == Self.lines.joined(separator: "\n").utf8.count
                + 1)
    }

    @Test func `a full disk ends the recording, once, and nothing else`() async throws {
        let many = (1...2_000).map { number in
            EventLine.change(#"{"id":"\#(number % 5)","n":\#(number)}"#, library: "a", sequence: number)
        }
        let source = try folder.write(Array(many.joined(separator: "\n").utf8), to: "many")
        let short = folder.path("short.rec")
        // No file may grow past 300 KiB: the database stays below it, the recording would not.
        let result = try await CommandRunner(executable: "/bin/sh").run(
            ["-c", #"trap "" XFSZ; ulimit -f 600; exec "$0" "$@""#, try CommandRunner().executable]
                + ["replay", source, "--record", short, "--json"])
        #expect(result.status == 0, "\(result.errorText)")
        let errors = result.errorText.split(separator: "\n")
        #expect(errors.count == 1, "\(result.errorText)")
        #expect(errors.first?.hasPrefix("tidemark: recording: it has ended: cannot write ") == true)
        #expect(result.outputText.contains(#""steps":2001,"#))
        let replay = try await run(["replay", short, "--json"])
        #expect(replay.status == 0, "\(replay.errorText)")
        #expect(replay.outputText.contains(#""divergence":null"#))
        #expect(!replay.outputText.contains(#""steps":2001,"#))
    }

    @Test func `a base that is no database, or a damaged one, is named as it was given`() async throws {
        let text = String(decoding: try Data(contentsOf: URL(fileURLWithPath: recording)), as: UTF8.self)
        let external = text.replacingOccurrences(of: #""base":"empty""#, with: #""base":"external""#)
        #expect(external != text)
        let path = try folder.write(Array(external.utf8), to: "external.rec")
        let letter = try folder.write(Array(repeating: UInt8(ascii: "a"), count: 4_096), to: "letter.txt")
        let refused = try await run(["replay", path, "--base", letter])
        #expect(refused.status == 78, "\(refused.errorText)")
        #expect(refused.errorText.contains(letter) && refused.errorText.contains("nothing was replayed"))
        #expect(!refused.errorText.contains("replay.db"), "\(refused.errorText)")
        var bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: folder.path("live.db"))))
        for place in 100..<4_096 { bytes[place] = 0xFF }
        let damaged = try folder.write(bytes, to: "damaged.db")
        let broken = try await run(["replay", path, "--base", damaged])
        #expect(broken.status == 65, "\(broken.errorText)")
        #expect(broken.errorText.contains(damaged) && !broken.errorText.contains("replay.db"))
        #expect(broken.outputText == "")
    }

    // MARK: Repair

    @Test func `repair leaves a sound database unchanged, and repairs a damaged one and keeps its copy`() async throws {
        let fixture = try await DatabaseFixture()
        let sound = try await fixture.run(["verify", "--repair"])
        #expect(sound.status == 0)
        #expect(sound.outputLines.first == "nothing to repair")
        var bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: fixture.path)))
        let place = try #require(bytes.firstRange(of: Array(#"{"sort":"name"}"#.utf8))?.lowerBound)
        bytes[place + 2] = UInt8(ascii: "S")
        try Data(bytes).write(to: URL(fileURLWithPath: fixture.path))
        #expect(try await fixture.run(["verify"]).status == 65)
        let export = try await fixture.run(["export"])
        let repaired = try await fixture.run(["verify", "--repair"])
        #expect(repaired.status == 0, "\(repaired.errorText)")
        #expect(repaired.outputText.contains("the query in row 1 was removed: checksum_mismatch"))
        #expect(repaired.outputText.contains(".damaged-"))
        #expect(try await fixture.run(["export"]).outputText == export.outputText)
        #expect(try await fixture.run(["verify"]).status == 0)
        let again = try await fixture.run(["verify", "--repair", "--json"])
        #expect(again.outputText.contains(#""repair":{"found":0,"moved_to":null,"steps":[]}"#))
    }
}
