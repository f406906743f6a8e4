import Foundation
import TestTraits
import Testing
import TidemarkModel
import TidemarkTestKit
import TidemarkTesting

@testable import TidemarkJetStream

/// `tidemark publish` of Protocol/jetstream.md, by the built command and a real server.
@Suite(
    .pooled, .tags(.process), .ownThreads,
    .enabled(if: NatsServer.program != nil, NatsServer.advice))
struct PublishTests {
    private let fixture: StreamFixture

    init() throws { fixture = try StreamFixture() }

    @Test func `lines are published in order, once, to the subjects of their libraries`() async throws {
        try fixture.server.makeStream("EVENTS")
        let lines = (0..<900).map {
            #"{"library_id":"lib \#($0 % 3)","sequence":\#($0),"epoch":"e","event":\#(fixture.change("\($0 % 50)", $0))}"#
        }
        let input = Array((lines.joined(separator: "\n") + "\nbroken\n\"Pong\"\n\n").utf8)
        let runner = try CommandRunner()
        let first = try await runner.run(["publish", "--to", fixture.server.address("EVENTS"), "--ack"], input: input)
        #expect(first.status == 0, "\(first.errorText)")
        let outputs = first.outputText.split(separator: "\n")
        #expect(
            outputs.last?.hasPrefix(#"{"lines":903,"published":900,"duplicates":0,"skipped":2,"last_sequence":900,"#)
                == true)
        #expect(outputs.dropLast().last == #"{"ack":{"lines":903,"sequence":900}}"#)
        let again = try await runner.run(
            ["publish", "--to", fixture.server.address("EVENTS"), "--strict"], input: input)
        #expect(again.status == 65)
        #expect(again.outputText.hasPrefix(#"{"lines":903,"published":0,"duplicates":900,"skipped":2,"#))
        let summary = try await fixture.ingest()
        #expect(fixture.count(summary, "applied") == 900)
        // The bodies are the lines, byte for byte.
        #expect(
            try fixture.server.call("STREAM.MSG.GET.EVENTS", #"{"seq":900}"#).contains(
                Data(lines[899].utf8).base64EncodedString()))
    }

    @Test func `two publishers of one library notice each other, unless they share it`() async throws {
        try fixture.server.makeStream("EVENTS")
        let runner = try CommandRunner()
        let live = try LiveCommand(["publish", "--to", fixture.server.address("EVENTS"), "--ack"])
        live.write(Array((fixture.change("1", 1) + "\n").utf8))
        #expect(live.next(seconds: 20) == .line(Array(#"{"ack":{"lines":1,"sequence":1}}"#.utf8)))
        _ = try await runner.run(
            ["publish", "--to", fixture.server.address("EVENTS")], input: Array((fixture.change("2", 1) + "\n").utf8))
        live.write(Array((fixture.change("1", 2) + "\n").utf8))
        let end = live.finish(seconds: 30)
        #expect(end.status == 75 && end.errors.contains("other_publisher"), "\(end.errors)")
        let shared = try LiveCommand(["publish", "--to", fixture.server.address("EVENTS"), "--ack", "--shared"])
        shared.write(Array((fixture.change("1", 3) + "\n").utf8))
        #expect(shared.next(seconds: 20) == .line(Array(#"{"ack":{"lines":1,"sequence":3}}"#.utf8)))
        _ = try await runner.run(
            ["publish", "--to", fixture.server.address("EVENTS")], input: Array((fixture.change("2", 1) + "\n").utf8))
        shared.write(Array((fixture.change("1", 4) + "\n").utf8))
        #expect(shared.finish(seconds: 30).status == 0)
    }

    @Test func `a line that is too large ends publishing with its number, or is skipped`() async throws {
        let small = try NatsServer("max_payload: 2048")
        try small.makeStream("EVENTS")
        let large =
            #"{"ResourceChanged":{"resource_type":"file","resource":{"id":"2","x":"\#(String(repeating: "x", count: 3_000))"}}}"#
        let input = Array("\(fixture.change("1", 1))\n\(large)\n\(fixture.change("3", 1))\n".utf8)
        let runner = try CommandRunner()
        let refused = try await runner.run(["publish", "--to", small.address("EVENTS")], input: input)
        #expect(
            refused.status == 65 && refused.errorText.contains("message_too_large: line 2 has"), "\(refused.errorText)")
        let skipped = try await runner.run(
            ["publish", "--to", small.address("EVENTS"), "--skip-oversize", "--id-from", "content"], input: input)
        #expect(skipped.status == 0 && skipped.outputText.contains(#""skipped":1"#), "\(skipped.outputText)")
    }

    @Test func `publishing goes on where the server was killed, without loss or order`() async throws {
        try fixture.server.makeStream("EVENTS")
        let live = try LiveCommand(["publish", "--to", fixture.server.address("EVENTS"), "--ack"])
        let lines = (0..<3_000).map {
            #"{"library_id":"a","sequence":\#($0),"event":\#(fixture.change("\($0 % 40)", $0))}"# + "\n"
        }
        for part in 0..<3 {
            for line in lines[part * 1_000..<(part + 1) * 1_000] { live.write(Array(line.utf8)) }
            if part < 2 {
                fixture.server.kill(SIGKILL)
                try fixture.server.start()
            }
        }
        let end = live.finish(seconds: 60)
        #expect(end.status == 0, "\(end.errors)")
        let summary = try await fixture.ingest()
        #expect(fixture.count(summary, "applied") == 3_000 && fixture.count(summary, "duplicate") == 0)
        for id in 0..<40 {
            #expect(try await fixture.export().contains { $0.contains(#"{"id":"\#(id)","n":\#(2_960 + id)}"#) })
        }
    }

    @Test func `a stream that is deleted meanwhile ends publishing with the words for it`() async throws {
        try fixture.server.makeStream("EVENTS")
        let live = try LiveCommand(["publish", "--to", fixture.server.address("EVENTS"), "--ack"])
        live.write(Array((fixture.change("1", 1) + "\n").utf8))
        #expect(live.next(seconds: 20) == .line(Array(#"{"ack":{"lines":1,"sequence":1}}"#.utf8)))
        try fixture.server.call("STREAM.DELETE.EVENTS")
        live.write(Array((fixture.change("1", 2) + "\n").utf8))
        let end = live.finish(seconds: 25)
        #expect(end.status == 69, "\(end.errors)")
        #expect(end.errors.contains("no_stream: there is no stream EVENTS any more"), "\(end.errors)")
        #expect(end.errors.contains("the lines up to 1 are published"), "\(end.errors)")
    }
}
