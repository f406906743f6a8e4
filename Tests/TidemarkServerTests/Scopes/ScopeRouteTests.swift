import Foundation
import TestTraits
import Testing
import Tidemark
import TidemarkLiveScopes
import TidemarkModel
import TidemarkScopes
import TidemarkServer
import TidemarkTesting

/// Scopes over real sockets.
@Suite(.pooled, .ownThreads) struct ScopeRouteTests {
    private typealias Served = ServedScopes

    private static let issue = Served.change(
        "issue", #"{"id":"i1","project":"p1","title":"a","internal_notes":"secret"}"#)

    @Test func `a client is sent the state of its scope and then each change`() async throws {
        let served = try await ServedScopes()
        try await served.feed(
            Served.member("u1", "p1"), Self.issue,
            Served.change("issue", #"{"id":"i2","project":"p2","title":"hidden"}"#))
        let reader = try await served.stream("/scopes/project?project=p1", as: "u1")
        #expect(reader.head.field("Content-Type") == "application/x-ndjson")
        let state = try await reader.state()
        #expect(
            state.map(\.event) == [
                #"{"Reset":{"state":true}}"#,
                #"{"ResourceChanged":{"resource_type":"issue","resource":{"id":"i1","project":"p1","title":"a"}}}"#,
                #"{"Heartbeat":{"last_sequence":1048576}}"#,
            ])
        #expect(state.map(\.sequence) == [0, 1, 1 << 20])
        #expect(state.map(\.previous) == [nil, 0, 1])
        try await served.feed(
            Served.change("issue", #"{"id":"i2","project":"p2","title":"still hidden"}"#),
            Served.change("issue", #"{"id":"i1","project":"p1","title":"b","internal_notes":"other"}"#))
        let change = try await reader.line()
        #expect(
            change.event
                == #"{"ResourceChanged":{"resource_type":"issue","resource":{"id":"i1","project":"p1","title":"b"}}}"#)
        #expect((change.sequence, change.previous) == (2 << 20, 1 << 20))
        try await served.feed(Served.delete("issue", "i1"))
        #expect(
            try await reader.line().event == #"{"ResourceDeleted":{"resource_type":"issue","resource_id":"i1"}}"#)
        try await served.feed(Served.delete("membership", "u1-p1"))
        #expect(try await reader.line().text == #"{"bye":{"reason":"forbidden"}}"#)
        let answer = try await served.ask("GET", "/scopes/project?project=p1", as: "u1")
        #expect(answer.status == 403)
        try await served.stop()
    }

    @Test func `a client goes on where it was, also at a new server`() async throws {
        let store = MemoryJournal.Store()
        var served = try await ServedScopes(journal: MemoryJournal(store: store))
        try await served.feed(Served.member("u1", "p1"), Self.issue)
        let first = try #require(
            try await served.stream("/scopes/project?project=p1", as: "u1").state().last)
        try await served.feed(
            Served.change("issue", #"{"id":"i3","project":"p1"}"#), Served.delete("issue", "i1"))
        try await served.stop()
        served = try await ServedScopes(journal: MemoryJournal(store: store))
        let path = "/scopes/project?project=p1&after=\(try #require(first.sequence))&epoch=\(try #require(first.epoch))"
        let lines = try await served.stream(path, as: "u1").state()
        #expect(lines.first?.epoch == first.epoch)
        #expect(
            lines.map(\.event).prefix(2) == [
                #"{"ResourceChanged":{"resource_type":"issue","resource":{"id":"i3","project":"p1"}}}"#,
                #"{"ResourceDeleted":{"resource_type":"issue","resource_id":"i1"}}"#,
            ])
        #expect(lines.map(\.hasMore) == [true, false, false])
        #expect(lines[1].sequence == 3 << 20)
        // Another subject cannot use the epoch.
        try await served.feed(Served.member("u2", "p1"))
        #expect(try await served.stream(path, as: "u2").line().isReset)
        try await served.stop()
    }

    @Test func `an epoch is of one subject, also in a scope that is the same for all`() async throws {
        let served = try await ServedScopes()
        try await served.feed(Served.change("project", #"{"id":"p1","public":true}"#))
        let last = try #require(try await served.stream("/scopes/public", as: "u1").state().last)
        let path = "/scopes/public?after=\(try #require(last.sequence))&epoch=\(try #require(last.epoch))"
        for (subject, isReset) in [("u1", false), ("u2", true)] {
            #expect(try await served.stream(path, as: subject).line().isReset == isReset, "\(subject)")
        }
        try await served.stop()
    }

    @Test func `tokens, names and parameters are refused in that order`() async throws {
        let served = try await ServedScopes()
        try await served.feed(Served.member("u1", "p1"))
        let asked: [(path: String, reader: String?, status: Int)] = [
            ("/scopes/project?project=p1", nil, 401), ("/scopes/project?project=p1", "wrong", 401),
            ("/scopes/nothing", "wrong", 401), ("/scopes/nothing", "u1", 404), ("/scopes/nothing?x=%zz", "u1", 404),
            ("/scopes/project", "u1", 400), ("/scopes/project?project=p1&project=p1", "u1", 400),
            ("/scopes/project?project=p1&other=1", "u1", 400), ("/scopes/project?project=p1&after=x", "u1", 400),
            ("/scopes/project?project=p2", "u1", 403), ("/scopes/project?project=p1", "u2", 403),
            ("/scopes/project?project=p1&me=u1", "u2", 400), ("/scopes/project?project=p1", "long", 431),
            ("/scopes/project/edits?project=p1", "u1", 405), ("/scopes/", "u1", 401),
        ]
        for (path, reader, status) in asked {
            let answer = try await served.ask("GET", path, as: reader)
            #expect(answer.status == status, "\(path) as \(reader ?? "nobody"): \(answer.status) \(answer.text)")
        }
        // The server's own token opens no scope, and a scope's token nothing else.
        #expect(try await served.ask("GET", "/metrics", as: "u1").status == 401)
        let metrics = try await served.ask("GET", "/metrics", as: served.token.text)
        #expect(metrics.text.contains(#"tidemark_scope_streams{scope="project"}"#))
        #expect(!metrics.text.contains("p1"))
        try await served.stop()
    }

    @Test func `a browser of an allowed origin may ask with a token, and resumes by its last event`() async throws {
        let served = try await ServedScopes()
        try await served.feed(Served.change("project", #"{"id":"p1","public":true}"#))
        let preflight = try await served.ask(
            "OPTIONS", "/scopes/public", as: nil,
            ["Origin: https://app.example", "Access-Control-Request-Method: GET"])
        #expect(preflight.status == 204)
        #expect(preflight.field("Access-Control-Allow-Headers")?.contains("Authorization") == true)
        let fields = ["Accept: text/event-stream", "Origin: https://app.example"]
        let reader = try await served.stream("/scopes/public", as: "u1", fields)
        #expect(reader.head.field("Content-Type") == "text/event-stream")
        #expect(reader.head.field("Access-Control-Allow-Origin") == "https://app.example")
        let text = try await reader.text(through: #"{"Heartbeat":{"last_sequence":1048576}}}"#)
        let id = try #require(text.matches(of: /id: ([0-9a-f]+\/1048576)\n/).last?.1)
        try await served.feed(Served.change("project", #"{"id":"p2","public":true}"#))
        let again = try await served.stream("/scopes/public", as: "u1", fields + ["Last-Event-ID: \(id)"])
        let rest = try await again.text(through: "Heartbeat")
        #expect(rest.contains(#""id":"p2""#) && !rest.contains("Reset") && !rest.contains(#""id":"p1""#))
        try await served.stop()
    }

    @Test func `missing lines are answered, and an epoch that is over is said to be`() async throws {
        let served = try await ServedScopes()
        try await served.feed(Served.member("u1", "p1"), Self.issue)
        let state = try #require(try await served.stream("/scopes/project?project=p1", as: "u1").state().last)
        try await served.feed(Served.change("issue", #"{"id":"i3","project":"p1"}"#))
        func ask(_ sequence: UInt64, epoch: String) async throws -> String {
            try await served.ask(
                "POST", "/scopes/project?project=p1&epoch=\(epoch)", as: "u1", ["Content-Type: application/json"],
                body:
                    #"{"jsonrpc":"2.0","id":7,"method":"events.since.v1","params":{"library_id":"x","sequence":\#(sequence)}}"#
            ).text
        }
        let (epoch, sequence) = (try #require(state.epoch), try #require(state.sequence))
        let answer = try await ask(sequence + 1, epoch: epoch)
        #expect(answer.hasPrefix(#"{"jsonrpc":"2.0","id":7,"result":{"events":[{"envelope":"#))
        #expect(answer.contains(#""resource":{"id":"i3","project":"p1"}"#))
        #expect(answer.hasSuffix(#""covered_through":2097152}}"# + "\n"))
        #expect(try await ask(5 << 20, epoch: epoch).contains(#""data":{"code":"epoch_over"}"#))
        #expect(try await ask(sequence + 1, epoch: "00").contains(#""data":{"code":"epoch_over"}"#))
        try await served.stop()
    }

    @Test func `streams of one subject are limited, and say so`() async throws {
        var serving = ScopeServingLimits()
        serving.subjectStreamCountMax = 2
        let served = try await ServedScopes(serving: serving)
        let readers = [
            try await served.stream("/scopes/public", as: "u1"), try await served.stream("/scopes/public", as: "u1"),
        ]
        let refused = try await served.ask("GET", "/scopes/public", as: "u1")
        #expect(refused.status == 429 && refused.field("Retry-After") != nil)
        #expect(try await served.stream("/scopes/public", as: "u2").state().count == 2)
        withExtendedLifetime(readers) {}
        try await served.stop()
    }

    @Test func `a stream ends with its token, with its key, and with the server`() async throws {
        var readers = NamedReaders()
        readers.expiry = Date.now.addingTimeInterval(1)
        var served = try await ServedScopes(authenticator: readers)
        var lines = try await served.stream("/scopes/public", as: "u1").lines { $0.text.contains("bye") }
        #expect(lines.last?.text == #"{"bye":{"reason":"token_expired"}}"#)
        try await served.stop()
        readers = NamedReaders(acceptsKeys: false)
        served = try await ServedScopes(authenticator: readers)
        let reader = try await served.stream("/scopes/public", as: "u1")
        _ = try await reader.state()
        await served.scopes.endRevoked()
        #expect(try await reader.line().text == #"{"bye":{"reason":"token_revoked"}}"#)
        let last = try await served.stream("/scopes/public", as: "u1")
        _ = try await last.state()
        try await served.stop()
        lines = try await last.lines { $0.text.contains("bye") }
        #expect(lines.map(\.text) == [#"{"bye":{"reason":"shutting_down"}}"#])
    }

    @Test func `another file gives a new state, or takes everything away`() async throws {
        let served = try await ServedScopes()
        try await served.feed(
            Served.member("u1", "p1"), Self.issue, Served.change("project", #"{"id":"p1","public":true}"#))
        let project = try await served.stream("/scopes/project?project=p1", as: "u1")
        let open = try await served.stream("/scopes/public", as: "u1")
        let epoch = try await project.state().last?.epoch
        _ = try await open.state()
        let new = Served.file.replacing(#""without": ["internal_notes"]"#, with: #""fields": ["id", "project"]"#)
            .replacing(#""public": {"#, with: #""other": {"#)
        await #expect(throws: ScopeRoutes.Fault.self) { try await served.scopes.replace(file: Array("{".utf8)) }
        try await served.scopes.replace(file: Array(new.utf8))
        let state = try await project.state()
        #expect(state.first?.isReset == true && state.first?.epoch != epoch)
        #expect(
            state.map(\.event).contains(
                #"{"ResourceChanged":{"resource_type":"issue","resource":{"id":"i1","project":"p1"}}}"#))
        #expect(
            try await open.line().event
                == #"{"ResourceDeleted":{"resource_type":"project","resource_id":"p1","reason":"scope"}}"#)
        #expect(try await open.line().text == #"{"bye":{"reason":"not_found"}}"#)
        try await served.stop()
    }

    @Test func `a file that names too many types is refused, and the former one stays in use`() async throws {
        var configuration = CacheConfiguration()
        configuration.limits.typeCountMax = 4
        let served = try await ServedScopes(configuration: configuration)
        try await served.feed(Served.member("u1", "p1"), Self.issue)
        let project = try await served.stream("/scopes/project?project=p1", as: "u1")
        _ = try await project.state()
        let new = Served.file.replacing(
            #""public": {"types": {"project": {"where": {"path": "/public", "eq": true}}}}"#,
            with: #""more": {"library": "z", "types": {"a": {}, "b": {}}}"#)
        #expect(new != Served.file)
        await #expect(throws: ScopeRoutes.Fault.self) { try await served.scopes.replace(file: Array(new.utf8)) }
        #expect(try await served.stream("/scopes/public", as: "u1").head.status == 200)
        try await served.feed(Served.change("issue", #"{"id":"i2","project":"p1"}"#))
        #expect(try await project.line().text.contains(#""id":"i2""#))
        try await served.stop()
    }
}
