import Foundation
import Testing
import TidemarkModel
import TidemarkTestKit
import TidemarkTesting

@testable import TidemarkJetStream

/// The rows of the tables in Protocol/jetstream.md, by the built command and a real server.
@Suite(.timeLimit(.minutes(30)), .tags(.process), .enabled(if: NatsServer.program != nil, NatsServer.advice))
struct JetStreamTests {
    private let folder: TemporaryFolder
    private let server: NatsServer

    init() throws {
        folder = try TemporaryFolder()
        server = try NatsServer()
    }

    private var database: String { folder.path("cache.db") }

    private func change(_ id: String, _ value: Int) -> String {
        EventLine.change(#"{"id":"\#(id)","n":\#(value)}"#)
    }

    private func ingest(_ options: String = "", _ arguments: [String] = []) async throws -> [String: Any] {
        let result = try await CommandRunner().run(
            ["ingest", "--db", database, "--from", server.address("EVENTS", options), "--until-caught-up"] + arguments)
        #expect(result.status == 0, "\(result.errorText)")
        return try #require(try JSONSerialization.jsonObject(with: Data(result.output)) as? [String: Any])
    }

    private func libraries(_ summary: [String: Any]) -> [String: String] {
        let libraries = summary["libraries"] as? [String: [String: Any]] ?? [:]
        return libraries.mapValues { "\($0["state"] ?? "") \($0["sequence"] ?? "") \(lost($0["lost"]))" }
    }

    private func lost(_ value: Any?) -> String {
        ((value as? [[Int]]) ?? []).map { "\($0.first ?? 0)-\($0.last ?? 0)" }.joined(separator: ",")
    }

    private func count(_ summary: [String: Any], _ name: String) -> Int {
        (summary["events"] as? [String: Int])?[name] ?? (summary[name] as? Int) ?? -1
    }

    /// The libraries of which `gaps` says that more may be missing than anybody can know.
    private func unknowable() async throws -> [String] {
        let result = try await CommandRunner().run(["gaps", "--db", database, "--json"])
        let answer = try #require(try JSONSerialization.jsonObject(with: Data(result.output)) as? [String: Any])
        let libraries = answer["libraries"] as? [String: [String: Any]] ?? [:]
        #expect(libraries.values.allSatisfy { $0["unknowable"] as? Bool != false }, "\(result.outputText)")
        return libraries.keys.filter { libraries[$0]?["unknowable"] as? Bool == true }.sorted()
    }

    private func export() async throws -> [String] {
        let result = try await CommandRunner().run(["export", "--db", database])
        return result.outputText.split(separator: "\n").map(String.init)
    }

    @Test func `a stream is read behind the cursors, each message once`() async throws {
        try server.makeStream("EVENTS")
        try server.publish([change("1", 1), change("2", 1)], to: "tidemark.me")
        try server.publish([change("1", 1)], to: "tidemark.mi")
        let first = try await ingest()
        #expect(libraries(first) == ["a": "live 2 ", "b": "live 3 "] && count(first, "applied") == 3)
        try server.publish([change("2", 2)], to: "tidemark.me")
        let second = try await ingest()
        #expect(libraries(second) == ["a": "live 4 ", "b": "live 3 "])
        #expect(count(second, "applied") == 1 && count(second, "duplicate") == 0)
        #expect(try await export().count == 3)
    }

    @Test func `messages before the first one are lost, for libraries with nothing there too`() async throws {
        try server.makeStream("EVENTS")
        try server.publish((1...4).map { change("1", $0) }, to: "tidemark.me")
        try server.publish([change("1", 1)], to: "tidemark.mi")
        _ = try await ingest()
        try server.publish((5...9).map { change("1", $0) }, to: "tidemark.me")
        try server.call("STREAM.PURGE.EVENTS", #"{"seq":9}"#)
        let summary = try await ingest()
        #expect(libraries(summary) == ["a": "stale 10 5-8", "b": "stale 8 6-8"])
        // A new database begins with nothing lost.
        try FileManager.default.removeItem(atPath: database)
        #expect(libraries(try await ingest()) == ["a": "live 10 "])
    }

    @Test func `a deleted message of a stream with one subject is lost`() async throws {
        try server.makeStream("EVENTS", subjects: #"["tidemark.me"]"#)
        try server.publish((1...5).map { change("1", $0) }, to: "tidemark.me")
        try server.call("STREAM.MSG.DELETE.EVENTS", #"{"seq":3}"#)
        #expect(libraries(try await ingest()) == ["a": "stale 5 3-3"])
        #expect(try await unknowable() == [])
    }

    @Test func `a deleted message shows where the next one names it, and nowhere else`() async throws {
        try server.makeStream("EVENTS")
        try server.publish([change("1", 1), change("1", 2)], to: "tidemark.me")
        try server.publish(
            [change("1", 3)], to: "tidemark.me", headers: [("Nats-Expected-Last-Subject-Sequence", "2")])
        try server.publish([change("1", 1), change("1", 2), change("1", 3)], to: "tidemark.mi")
        for number in [2, 5] { try server.call("STREAM.MSG.DELETE.EVENTS", #"{"seq":\#(number)}"#) }
        // A library that is fed by lines has no such stream.
        let line = #"{"library_id":"c","sequence":1,"epoch":"e","event":\#(change("1", 1))}"# + "\n"
        _ = try await CommandRunner().run(["ingest", "--db", database], input: Array(line.utf8))
        #expect(
            libraries(try await ingest()) == ["a": "stale 3 2-2", "b": "live 6 ", "c": "live 1 "])
        #expect(try await unknowable() == ["a", "b"])
        let text = try await CommandRunner().run(["gaps", "--db", database]).outputText
        #expect(text.contains("cannot be known: a, b\n"), "\(text)")
        // A log of another kind follows: the mark ends with the stream's epoch.
        _ = try await CommandRunner().run(
            ["ingest", "--db", database],
            input: Array((#"{"library_id":"b","event":{"Reset":{"epoch":"e"}}}"# + "\n").utf8))
        #expect(try await unknowable() == ["a"])
    }

    @Test func `a stream that was made anew is another epoch`() async throws {
        try server.makeStream("EVENTS")
        try server.publish([change("1", 1), change("2", 1)], to: "tidemark.me")
        try server.publish([change("1", 1)], to: "tidemark.mi")
        _ = try await ingest()
        try server.call("STREAM.DELETE.EVENTS")
        try server.makeStream("EVENTS")
        try server.publish([change("1", 7)], to: "tidemark.me")
        let summary = try await ingest()
        #expect(libraries(summary)["a"] == "stale 1 ")
        #expect(libraries(summary)["b"]?.hasPrefix("stale") == true)
        #expect(try await export().contains { $0.contains(#""n":7},"sequence":1"#) })
    }

    @Test func `a library that was fed by lines without an epoch begins anew`() async throws {
        try server.makeStream("EVENTS")
        try server.publish([change("1", 5)], to: "tidemark.me")
        let line = #"{"library_id":"a","sequence":50,"event":\#(change("1", 1))}"# + "\n"
        _ = try await CommandRunner().run(["ingest", "--db", database], input: Array(line.utf8))
        #expect(libraries(try await ingest()) == ["a": "stale 1 "])
        #expect(try await export().first?.contains(#""n":5}"#) == true)
    }

    @Test func `broken bodies, heartbeats and resets keep their numbers`() async throws {
        try server.makeStream("EVENTS")
        try server.publish(
            [
                change("1", 1), "broken", #"{"Heartbeat":{"last_sequence":1}}"#, #"{"Reset":{"epoch":"x"}}"#,
                change("1", 2),
            ],
            to: "tidemark.me")
        let summary = try await ingest()
        #expect(libraries(summary) == ["a": "stale 5 2-2"])
        #expect(count(summary, "quarantined") >= 1 && count(summary, "ignored") == 2)
    }

    @Test func `a new database may begin with the next message`() async throws {
        try server.makeStream("EVENTS")
        try server.publish([change("1", 1)], to: "tidemark.me")
        #expect(libraries(try await ingest("", ["--start", "new"])) == [:])
    }

    @Test func `libraries and shards divide a stream`() async throws {
        try server.makeStream("EVENTS")
        for number in 0..<12 {
            try server.publish(
                [change("\(number)", 1)], to: LibrarySubject.subject(prefix: "tidemark", ByteString("lib \(number)")))
        }
        #expect(libraries(try await ingest("libraries=lib%203,lib%204")).keys.sorted() == ["lib 3", "lib 4"])
        var seen: [String] = []
        for shard in 0..<3 {
            try FileManager.default.removeItem(atPath: database)
            seen += libraries(try await ingest("shard=\(shard)/3")).keys
        }
        #expect(seen.sorted() == (0..<12).map { "lib \($0)" }.sorted())
        // A wider scope later reads what the narrow one left out.
        #expect(libraries(try await ingest()).count == 12)
    }

    @Test func `in body numbering a gap is filled from the stream`() async throws {
        try server.makeStream("EVENTS")
        let bodies = (1...30).map {
            #"{"library_id":"a","sequence":\#($0),"epoch":"e","event":\#(change("\($0)", $0))}"#
        }
        try server.publish(bodies, to: "tidemark.me")
        // The cache hears of some events by lines; the stream has all.
        let lines = [bodies[0], bodies[1], bodies[20], bodies[29]].map { $0 + "\n" }.joined()
        let result = try await CommandRunner().run(
            ["ingest", "--db", database, "--upstream", server.address("EVENTS")], input: Array(lines.utf8))
        #expect(result.status == 0, "\(result.errorText)")
        let summary = try #require(try JSONSerialization.jsonObject(with: Data(result.output)) as? [String: Any])
        #expect(libraries(summary) == ["a": "live 30 "])
        #expect(try await export().count == 30)
        // By the stream alone, behind the cursor of the bodies.
        try server.publish(
            [#"{"library_id":"a","sequence":31,"epoch":"e","event":\#(change("1", 31))}"#], to: "tidemark.me")
        let more = try await ingest("", ["--jetstream-sequence", "body"])
        #expect(libraries(more) == ["a": "live 31 "] && count(more, "applied") == 1)
        // Numbers of bodies have no holes by nature: each missing one shows.
        #expect(try await unknowable() == [])
    }

    @Test func `an upstream that lost a part brings the rest, and the part is lost`() async throws {
        try server.makeStream("EVENTS")
        let bodies = (1...20).map { #"{"library_id":"a","sequence":\#($0),"event":\#(change("\($0)", $0))}"# }
        try server.publish(bodies, to: "tidemark.me")
        try server.call("STREAM.PURGE.EVENTS", #"{"seq":11}"#)
        let lines = [bodies[0], bodies[1], bodies[19]].map { $0 + "\n" }.joined()
        let result = try await CommandRunner().run(
            ["ingest", "--db", database, "--upstream", server.address("EVENTS")], input: Array(lines.utf8))
        let summary = try #require(try JSONSerialization.jsonObject(with: Data(result.output)) as? [String: Any])
        #expect(libraries(summary) == ["a": "stale 20 3-10"])
        #expect(try await export().count == 12)
    }

    @Test func `lines are published in order, once, to the subjects of their libraries`() async throws {
        try server.makeStream("EVENTS")
        let lines = (0..<900).map {
            #"{"library_id":"lib \#($0 % 3)","sequence":\#($0),"epoch":"e","event":\#(change("\($0 % 50)", $0))}"#
        }
        let input = Array((lines.joined(separator: "\n") + "\nbroken\n\"Pong\"\n\n").utf8)
        let runner = try CommandRunner()
        let first = try await runner.run(["publish", "--to", server.address("EVENTS"), "--ack"], input: input)
        #expect(first.status == 0, "\(first.errorText)")
        let outputs = first.outputText.split(separator: "\n")
        #expect(
            outputs.last?.hasPrefix(#"{"lines":903,"published":900,"duplicates":0,"skipped":2,"last_sequence":900,"#)
                == true)
        #expect(outputs.dropLast().last == #"{"ack":{"lines":903,"sequence":900}}"#)
        let again = try await runner.run(["publish", "--to", server.address("EVENTS"), "--strict"], input: input)
        #expect(again.status == 65)
        #expect(again.outputText.hasPrefix(#"{"lines":903,"published":0,"duplicates":900,"skipped":2,"#))
        let summary = try await ingest()
        #expect(count(summary, "applied") == 900)
        // The bodies are the lines, byte for byte.
        #expect(
            try server.call("STREAM.MSG.GET.EVENTS", #"{"seq":900}"#).contains(
                Data(lines[899].utf8).base64EncodedString()))
    }

    @Test func `two publishers of one library notice each other, unless they share it`() async throws {
        try server.makeStream("EVENTS")
        let runner = try CommandRunner()
        let live = try LiveCommand(["publish", "--to", server.address("EVENTS"), "--ack"])
        live.write(Array((change("1", 1) + "\n").utf8))
        #expect(live.next(seconds: 20) == .line(Array(#"{"ack":{"lines":1,"sequence":1}}"#.utf8)))
        _ = try await runner.run(
            ["publish", "--to", server.address("EVENTS")], input: Array((change("2", 1) + "\n").utf8))
        live.write(Array((change("1", 2) + "\n").utf8))
        let end = live.finish(seconds: 30)
        #expect(end.status == 75 && end.errors.contains("other_publisher"), "\(end.errors)")
        let shared = try LiveCommand(["publish", "--to", server.address("EVENTS"), "--ack", "--shared"])
        shared.write(Array((change("1", 3) + "\n").utf8))
        #expect(shared.next(seconds: 20) == .line(Array(#"{"ack":{"lines":1,"sequence":3}}"#.utf8)))
        _ = try await runner.run(
            ["publish", "--to", server.address("EVENTS")], input: Array((change("2", 1) + "\n").utf8))
        shared.write(Array((change("1", 4) + "\n").utf8))
        #expect(shared.finish(seconds: 30).status == 0)
    }

    @Test func `a line that is too large ends publishing with its number, or is skipped`() async throws {
        let small = try NatsServer("max_payload: 2048")
        try small.makeStream("EVENTS")
        let large =
            #"{"ResourceChanged":{"resource_type":"file","resource":{"id":"2","x":"\#(String(repeating: "x", count: 3_000))"}}}"#
        let input = Array("\(change("1", 1))\n\(large)\n\(change("3", 1))\n".utf8)
        let runner = try CommandRunner()
        let refused = try await runner.run(["publish", "--to", small.address("EVENTS")], input: input)
        #expect(
            refused.status == 65 && refused.errorText.contains("message_too_large: line 2 has"), "\(refused.errorText)")
        let skipped = try await runner.run(
            ["publish", "--to", small.address("EVENTS"), "--skip-oversize", "--id-from", "content"], input: input)
        #expect(skipped.status == 0 && skipped.outputText.contains(#""skipped":1"#), "\(skipped.outputText)")
    }

    @Test func `a server without JetStream, a wrong password and no server have their sentences`() async throws {
        let runner = try CommandRunner()
        let missing = try await runner.run(["stream", "info", "--to", server.address("NONE")])
        #expect(missing.status == 69 && missing.errorText.contains("no_stream"))
        let locked = try NatsServer("authorization { user: u, password: s3cret }")
        let denied = try await runner.run(
            [
                "ingest", "--db", database, "--from", "nats://u:wr0ng@127.0.0.1:\(locked.port)/EVENTS",
                "--until-caught-up",
            ])
        #expect(denied.status == 69 && denied.errorText.contains("denied"), "\(denied.errorText)")
        #expect(!denied.errorText.contains("wr0ng"))
        let admitted = try await runner.run([
            "stream", "create", "--to", "nats://u:s3cret@127.0.0.1:\(locked.port)/EVENTS",
        ])
        #expect(admitted.status == 0, "\(admitted.errorText)")
        let shown = try await runner.run(
            ["stream", "info", "--json", "--to", "nats://u:s3cret@127.0.0.1:\(locked.port)/EVENTS"])
        #expect(shown.outputText.contains(#""max_bytes":null,"max_age":null,"duplicate_window":120.000"#))
        let different = try await runner.run(
            ["stream", "create", "--max-age", "600", "--to", "nats://u:s3cret@127.0.0.1:\(locked.port)/EVENTS"])
        #expect(different.status == 73 && different.errorText.contains("different_stream"))
        let bad = try await runner.run(["publish", "--to", "nats://u:s3cret@host/a b"], input: [])
        #expect(bad.status == 64 && !bad.errorText.contains("s3cret"), "\(bad.errorText)")
    }

    @Test func `a session follows the stream through a restart of the server`() async throws {
        try server.makeStream("EVENTS")
        try server.publish([change("1", 1)], to: "tidemark.me")
        let session = try LiveCommand(["run", "--db", database, "--from", server.address("EVENTS")])
        func wait(_ what: String, _ isWanted: (String) -> Bool) throws {
            while true {
                guard case .line(let line) = session.next(seconds: 40) else {
                    Issue.record("\(what) did not come")
                    throw CancellationError()
                }
                if isWanted(String(decoding: line, as: UTF8.self)) { return }
            }
        }
        func ask(_ number: Int) {
            let request =
                #"{"jsonrpc":"2.0","id":\#(number),"method":"entity.get","params":{"library_id":"a","resource_type":"file","id":"1"}}"#
            session.write(Array((request + "\n").utf8))
        }
        /// Asks until the entity has a value.
        func waitForValue(_ value: Int) throws {
            var number = value * 1_000
            try waitUntil("the value \(value)") {
                number += 1
                ask(number)
                var isThere = false
                try wait("an answer") { line in
                    isThere = line.contains(#""n":\#(value)"#)
                    return line.contains(#""id":\#(number),"#)
                }
                return isThere
            }
        }
        try waitForValue(1)
        server.kill(SIGKILL)
        try wait("the state gap") { $0.contains("library.state") && $0.contains(#""state":"gap""#) }
        try server.start()
        try wait("the state live") { $0.contains("library.state") && $0.contains(#""state":"live""#) }
        try server.publish([change("1", 2)], to: "tidemark.me")
        try waitForValue(2)
        let end = session.finish(seconds: 30)
        #expect(end.status == 0, "\(end.errors)")
    }

    @Test func `publishing goes on where the server was killed, without loss or order`() async throws {
        try server.makeStream("EVENTS")
        let live = try LiveCommand(["publish", "--to", server.address("EVENTS"), "--ack"])
        let lines = (0..<3_000).map {
            #"{"library_id":"a","sequence":\#($0),"event":\#(change("\($0 % 40)", $0))}"# + "\n"
        }
        for part in 0..<3 {
            for line in lines[part * 1_000..<(part + 1) * 1_000] { live.write(Array(line.utf8)) }
            if part < 2 {
                server.kill(SIGKILL)
                try server.start()
            }
        }
        let end = live.finish(seconds: 60)
        #expect(end.status == 0, "\(end.errors)")
        let summary = try await ingest()
        #expect(count(summary, "applied") == 3_000 && count(summary, "duplicate") == 0)
        for id in 0..<40 {
            #expect(try await export().contains { $0.contains(#"{"id":"\#(id)","n":\#(2_960 + id)}"#) })
        }
    }
}
