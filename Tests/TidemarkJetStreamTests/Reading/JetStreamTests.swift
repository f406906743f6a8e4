import Foundation
import TestTraits
import Testing
import TidemarkModel
import TidemarkTestKit
import TidemarkTesting

@testable import TidemarkJetStream

/// The rows of the tables in Protocol/jetstream.md, by the built command and a real server.
@Suite(
    .pooled, .tags(.process), .ownThreads,
    .enabled(if: NatsServer.program != nil, NatsServer.advice))
struct JetStreamTests {
    private let fixture: StreamFixture

    init() throws { fixture = try StreamFixture() }

    @Test func `a stream is read behind the cursors, each message once`() async throws {
        try fixture.server.makeStream("EVENTS")
        try fixture.server.publish([fixture.change("1", 1), fixture.change("2", 1)], to: "tidemark.me")
        try fixture.server.publish([fixture.change("1", 1)], to: "tidemark.mi")
        let first = try await fixture.ingest()
        #expect(fixture.libraries(first) == ["a": "live 2 ", "b": "live 3 "] && fixture.count(first, "applied") == 3)
        try fixture.server.publish([fixture.change("2", 2)], to: "tidemark.me")
        let second = try await fixture.ingest()
        #expect(fixture.libraries(second) == ["a": "live 4 ", "b": "live 3 "])
        #expect(fixture.count(second, "applied") == 1 && fixture.count(second, "duplicate") == 0)
        #expect(try await fixture.export().count == 3)
    }

    @Test func `messages before the first one are lost, for libraries with nothing there too`() async throws {
        try fixture.server.makeStream("EVENTS")
        try fixture.server.publish((1...4).map { fixture.change("1", $0) }, to: "tidemark.me")
        try fixture.server.publish([fixture.change("1", 1)], to: "tidemark.mi")
        _ = try await fixture.ingest()
        try fixture.server.publish((5...9).map { fixture.change("1", $0) }, to: "tidemark.me")
        try fixture.server.call("STREAM.PURGE.EVENTS", #"{"seq":9}"#)
        let summary = try await fixture.ingest()
        #expect(fixture.libraries(summary) == ["a": "stale 10 5-8", "b": "stale 8 6-8"])
        // A new fixture.database begins with nothing lost.
        try FileManager.default.removeItem(atPath: fixture.database)
        #expect(fixture.libraries(try await fixture.ingest()) == ["a": "live 10 "])
    }

    @Test func `a deleted message of a stream with one subject is lost`() async throws {
        try fixture.server.makeStream("EVENTS", subjects: #"["tidemark.me"]"#)
        try fixture.server.publish((1...5).map { fixture.change("1", $0) }, to: "tidemark.me")
        try fixture.server.call("STREAM.MSG.DELETE.EVENTS", #"{"seq":3}"#)
        #expect(fixture.libraries(try await fixture.ingest()) == ["a": "stale 5 3-3"])
        #expect(try await fixture.unknowable() == [])
    }

    @Test func `a deleted message shows where the next one names it, and nowhere else`() async throws {
        try fixture.server.makeStream("EVENTS")
        try fixture.server.publish([fixture.change("1", 1), fixture.change("1", 2)], to: "tidemark.me")
        try fixture.server.publish(
            [fixture.change("1", 3)], to: "tidemark.me", headers: [("Nats-Expected-Last-Subject-Sequence", "2")])
        try fixture.server.publish(
            [fixture.change("1", 1), fixture.change("1", 2), fixture.change("1", 3)], to: "tidemark.mi")
        for number in [2, 5] { try fixture.server.call("STREAM.MSG.DELETE.EVENTS", #"{"seq":\#(number)}"#) }
        // A library that is fed by lines has no such stream.
        let line = #"{"library_id":"c","sequence":1,"epoch":"e","event":\#(fixture.change("1", 1))}"# + "\n"
        _ = try await CommandRunner().run(["ingest", "--db", fixture.database], input: Array(line.utf8))
        #expect(
            fixture.libraries(try await fixture.ingest()) == ["a": "stale 3 2-2", "b": "live 6 ", "c": "live 1 "])
        #expect(try await fixture.unknowable() == ["a", "b"])
        let text = try await CommandRunner().run(["gaps", "--db", fixture.database]).outputText
        #expect(text.contains("cannot be known: a, b\n"), "\(text)")
        // A log of another kind follows: the mark ends with the stream's epoch.
        _ = try await CommandRunner().run(
            ["ingest", "--db", fixture.database],
            input: Array((#"{"library_id":"b","event":{"Reset":{"epoch":"e"}}}"# + "\n").utf8))
        #expect(try await fixture.unknowable() == ["a"])
    }

    @Test func `a stream that was made anew is another epoch`() async throws {
        try fixture.server.makeStream("EVENTS")
        try fixture.server.publish([fixture.change("1", 1), fixture.change("2", 1)], to: "tidemark.me")
        try fixture.server.publish([fixture.change("1", 1)], to: "tidemark.mi")
        _ = try await fixture.ingest()
        try fixture.server.call("STREAM.DELETE.EVENTS")
        try fixture.server.makeStream("EVENTS")
        try fixture.server.publish([fixture.change("1", 7)], to: "tidemark.me")
        let summary = try await fixture.ingest()
        #expect(fixture.libraries(summary)["a"] == "stale 1 ")
        #expect(fixture.libraries(summary)["b"]?.hasPrefix("stale") == true)
        #expect(try await fixture.export().contains { $0.contains(#""n":7},"sequence":1"#) })
    }

    @Test func `a library that was fed by lines without an epoch begins anew`() async throws {
        try fixture.server.makeStream("EVENTS")
        try fixture.server.publish([fixture.change("1", 5)], to: "tidemark.me")
        let line = #"{"library_id":"a","sequence":50,"event":\#(fixture.change("1", 1))}"# + "\n"
        _ = try await CommandRunner().run(["ingest", "--db", fixture.database], input: Array(line.utf8))
        #expect(fixture.libraries(try await fixture.ingest()) == ["a": "stale 1 "])
        #expect(try await fixture.export().first?.contains(#""n":5}"#) == true)
    }

    @Test func `of a body that cannot be used its own number is lost, whatever is before it`() async throws {
        try fixture.server.makeStream("EVENTS")
        try fixture.server.publish([fixture.change("1", 1)], to: "tidemark.me")
        try fixture.server.publish((1...30).map { fixture.change("1", $0) }, to: "tidemark.mi")
        // One is no JSON, one is no event.
        try fixture.server.publish(
            ["broken", fixture.change("1", 2), #"{"ResourceChanged":{}}"#, fixture.change("1", 3)], to: "tidemark.me")
        let summary = try await fixture.ingest()
        #expect(fixture.libraries(summary) == ["a": "stale 35 32-32,34-34", "b": "live 31 "])
        #expect(fixture.count(summary, "quarantined") == 2 && fixture.count(summary, "applied") == 33)
        #expect(fixture.count(summary, "lines") == 35)
        // The next run finds nothing new.
        let again = try await fixture.ingest()
        #expect(fixture.libraries(again) == fixture.libraries(summary))
    }

    @Test func `announcements of the reader are no lines, and are counted nowhere`() async throws {
        try fixture.server.makeStream("EVENTS")
        try fixture.server.publish((1...3).map { fixture.change("1", $0) }, to: "tidemark.me")
        // A log without an epoch ends with a reset; the reader writes it before the first message.
        let line = #"{"library_id":"a","sequence":50,"event":\#(fixture.change("1", 1))}"# + "\n"
        _ = try await CommandRunner().run(["ingest", "--db", fixture.database], input: Array(line.utf8))
        let first = try await fixture.ingest()
        #expect(fixture.libraries(first) == ["a": "stale 3 "])
        #expect(fixture.count(first, "applied") == 3 && fixture.count(first, "lines") == 3)
        // Messages that were removed before they were read are told by heartbeats.
        try fixture.server.publish((4...9).map { fixture.change("1", $0) }, to: "tidemark.mi")
        _ = try await fixture.ingest()
        try fixture.server.publish((1...4).map { fixture.change("2", $0) }, to: "tidemark.mi")
        try fixture.server.call("STREAM.PURGE.EVENTS", #"{"seq":12}"#)
        let recording = fixture.database + ".rec"
        let second = try await fixture.ingest("", ["--record", recording])
        #expect(fixture.libraries(second) == ["a": "stale 11 4-11", "b": "stale 13 10-11"])
        #expect(fixture.count(second, "applied") == 2 && fixture.count(second, "lines") == 2)
        // A replay of it takes the same way.
        let replayed = try await CommandRunner().run(["replay", recording, "--stats"])
        #expect(replayed.status == 0, "\(replayed.errorText)")
    }

    @Test func `broken bodies, heartbeats and resets keep their numbers`() async throws {
        try fixture.server.makeStream("EVENTS")
        try fixture.server.publish(
            [
                fixture.change("1", 1), "broken", #"{"Heartbeat":{"last_sequence":1}}"#, #"{"Reset":{"epoch":"x"}}"#,
                fixture.change("1", 2),
            ],
            to: "tidemark.me")
        let summary = try await fixture.ingest()
        #expect(fixture.libraries(summary) == ["a": "stale 5 2-2"])
        #expect(fixture.count(summary, "quarantined") >= 1 && fixture.count(summary, "ignored") == 2)
    }

    @Test func `a new fixture.database may begin with the next message`() async throws {
        try fixture.server.makeStream("EVENTS")
        try fixture.server.publish([fixture.change("1", 1)], to: "tidemark.me")
        #expect(fixture.libraries(try await fixture.ingest("", ["--start", "new"])) == [:])
    }

    @Test func `libraries and shards divide a stream`() async throws {
        try fixture.server.makeStream("EVENTS")
        for number in 0..<12 {
            try fixture.server.publish(
                [fixture.change("\(number)", 1)],
                to: LibrarySubject.subject(prefix: "tidemark", ByteString("lib \(number)")))
        }
        #expect(
            fixture.libraries(try await fixture.ingest("libraries=lib%203,lib%204")).keys.sorted() == [
                "lib 3", "lib 4",
            ])
        var seen: [String] = []
        for shard in 0..<3 {
            try FileManager.default.removeItem(atPath: fixture.database)
            seen += fixture.libraries(try await fixture.ingest("shard=\(shard)/3")).keys
        }
        #expect(seen.sorted() == (0..<12).map { "lib \($0)" }.sorted())
        // A wider scope later reads what the narrow one left out.
        #expect(fixture.libraries(try await fixture.ingest()).count == 12)
    }

    @Test func `in body numbering a gap is filled from the stream`() async throws {
        try fixture.server.makeStream("EVENTS")
        let bodies = (1...30).map {
            #"{"library_id":"a","sequence":\#($0),"epoch":"e","event":\#(fixture.change("\($0)", $0))}"#
        }
        try fixture.server.publish(bodies, to: "tidemark.me")
        // The cache hears of some events by lines; the stream has all.
        let lines = [bodies[0], bodies[1], bodies[20], bodies[29]].map { $0 + "\n" }.joined()
        let result = try await CommandRunner().run(
            ["ingest", "--db", fixture.database, "--upstream", fixture.server.address("EVENTS")],
            input: Array(lines.utf8))
        #expect(result.status == 0, "\(result.errorText)")
        let summary = try #require(try JSONSerialization.jsonObject(with: Data(result.output)) as? [String: Any])
        #expect(fixture.libraries(summary) == ["a": "live 30 "])
        #expect(try await fixture.export().count == 30)
        // By the stream alone, behind the cursor of the bodies.
        try fixture.server.publish(
            [#"{"library_id":"a","sequence":31,"epoch":"e","event":\#(fixture.change("1", 31))}"#], to: "tidemark.me")
        let more = try await fixture.ingest("", ["--jetstream-sequence", "body"])
        #expect(fixture.libraries(more) == ["a": "live 31 "] && fixture.count(more, "applied") == 1)
        // Numbers of bodies have no holes by nature: each missing one shows.
        #expect(try await fixture.unknowable() == [])
    }

    @Test func `an upstream that lost a part brings the rest, and the part is lost`() async throws {
        try fixture.server.makeStream("EVENTS")
        let bodies = (1...20).map { #"{"library_id":"a","sequence":\#($0),"event":\#(fixture.change("\($0)", $0))}"# }
        try fixture.server.publish(bodies, to: "tidemark.me")
        try fixture.server.call("STREAM.PURGE.EVENTS", #"{"seq":11}"#)
        let lines = [bodies[0], bodies[1], bodies[19]].map { $0 + "\n" }.joined()
        let result = try await CommandRunner().run(
            ["ingest", "--db", fixture.database, "--upstream", fixture.server.address("EVENTS")],
            input: Array(lines.utf8))
        let summary = try #require(try JSONSerialization.jsonObject(with: Data(result.output)) as? [String: Any])
        #expect(fixture.libraries(summary) == ["a": "stale 20 3-10"])
        #expect(try await fixture.export().count == 12)
    }

    @Test func `a server without JetStream, a wrong password and no server have their sentences`() async throws {
        let runner = try CommandRunner()
        let missing = try await runner.run(["stream", "info", "--to", fixture.server.address("NONE")])
        #expect(missing.status == 69 && missing.errorText.contains("no_stream"))
        let locked = try NatsServer("authorization { user: u, password: s3cret }")
        let denied = try await runner.run(
            [
                "ingest", "--db", fixture.database, "--from", "nats://u:wr0ng@127.0.0.1:\(locked.port)/EVENTS",
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
        try fixture.server.makeStream("EVENTS")
        try fixture.server.publish([fixture.change("1", 1)], to: "tidemark.me")
        let session = try LiveCommand(["run", "--db", fixture.database, "--from", fixture.server.address("EVENTS")])
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
        fixture.server.kill(SIGKILL)
        try wait("the state gap") { $0.contains("library.state") && $0.contains(#""state":"gap""#) }
        try fixture.server.start()
        try wait("the state live") { $0.contains("library.state") && $0.contains(#""state":"live""#) }
        try fixture.server.publish([fixture.change("1", 2)], to: "tidemark.me")
        try waitForValue(2)
        let end = session.finish(seconds: 30)
        #expect(end.status == 0, "\(end.errors)")
    }
}
