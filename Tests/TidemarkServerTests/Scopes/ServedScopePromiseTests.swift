import Foundation
import Synchronization
import TestTraits
import Testing
import Tidemark
import TidemarkLiveScopes
import TidemarkModel
import TidemarkSQLite
import TidemarkScopes
import TidemarkServer
import TidemarkTesting

/// Promises of `Protocol/scopes.md` that random histories cannot see: what waits for the disk, and what others may do.
@Suite(.pooled, .ownThreads) struct ServedScopePromiseTests {
    private typealias Served = ServedScopes

    private static let issue = Served.change(
        "issue", #"{"id":"i1","project":"p1","title":"a","internal_notes":"secret"}"#)

    private static func request(_ name: ByteString, _ subject: ByteString, _ project: ByteString? = nil) -> ScopeRequest
    {
        ScopeRequest(
            name: name, subject: subject, claims: Array(#"{"sub":"\#(subject)"}"#.utf8),
            address: project.map { [("project" as ByteString, $0)] } ?? [])
    }

    /// Takes what a stream has at the moment, as text.
    private func taken(_ stream: ScopeStream) -> String {
        var text = ""
        while case .lines(let lines, _) = stream.next(now: 0, wake: {}), !lines.isEmpty {
            text += lines.map { String(decoding: $0.bytes, as: UTF8.self) + "\n" }.joined()
        }
        return text
    }

    // MARK: The disk

    @Test func `a line is given to its client once its log is on the disk`() async throws {
        let journal = MemoryJournal()
        let served = try await Served(journal: journal)
        try await served.feed(Served.change("project", #"{"id":"p1","public":true}"#))
        let stream = try await served.scopes.service.open(Self.request("public", "u1"), nil, expiry: .max)
        try await served.cache.flush()
        #expect(taken(stream).contains("Heartbeat"))
        await journal.pause()
        try await served.cache.ingest(
            Array((Served.change("project", #"{"id":"p2","public":true}"#) + "\n").utf8))
        await journal.waitUntilHeld()
        #expect(taken(stream) == "")
        await journal.resume()
        try await served.cache.flush()
        #expect(taken(stream).contains(#""id":"p2""#))
        try await served.stop()
    }

    @Test func `lines that a former file let in are not sent behind a file that hides more`() async throws {
        let served = try await Served()
        try await served.feed(Served.member("u1", "p1"))
        let stream = try await served.scopes.service.open(Self.request("project", "u1", "p1"), nil, expiry: .max)
        try await served.cache.flush()
        try await served.feed(Self.issue)
        // The client has taken nothing yet.
        let new = Served.file.replacing(#""without": ["internal_notes"]"#, with: #""fields": ["id", "project"]"#)
        try await served.scopes.replace(file: Array(new.utf8))
        var text = ""
        while !text.contains("Heartbeat") {
            try await served.cache.flush()
            text += taken(stream)
        }
        #expect(text.contains(#""resource":{"id":"i1","project":"p1"}"#))
        #expect(!text.contains("title"))
        try await served.stop()
    }

    // MARK: At the server

    /// Once with the entities in memory, and once with the file alone knowing them.
    @Test(arguments: [true, false])
    func `an entity that is removed or cleared at the server leaves its scopes`(isInMemory: Bool) async throws {
        let folder = try TemporaryFolder()
        var configuration = CacheConfiguration()
        if !isInMemory { configuration.memoryByteCountMax = 0 }
        let served = try await Served(
            journal: try await SQLiteJournal.open(SQLiteJournal.Configuration(path: folder.path("cache.db"))),
            configuration: configuration)
        try await served.feed(
            Served.change("project", #"{"id":"p1","public":true}"#),
            Served.change("project", #"{"id":"p2","public":true}"#))
        let reader = try await served.stream("/scopes/public", as: "u1")
        _ = try await reader.state()
        try await served.cache.flush()
        try await served.cache.enforceLimits()
        var removal = Removal()
        removal.resourceType = "project"
        removal.ids = ["p1"]
        _ = try await served.cache.remove(removal)
        try await served.cache.flush()
        let left = #"{"ResourceDeleted":{"resource_type":"project","resource_id":"ID","reason":"scope"}}"#
        // What only the file had is evaluated anew, and counts as changed.
        let kept = #"{"ResourceChanged":{"resource_type":"project","resource":{"id":"p2","public":true}}}"#
        let lines = try await reader.lines { $0.event == left.replacing("ID", with: "p1") }
        #expect(lines.dropLast().allSatisfy { $0.event == kept && !isInMemory })
        try await served.cache.clear()
        try await served.cache.flush()
        #expect(try await reader.line().event == left.replacing("ID", with: "p2"))
        try await served.stop()
    }

    @Test func `pending edits of the server, refreshes and the rest of an envelope are not passed on`() async throws {
        let served = try await Served()
        try await served.feed(Served.member("u1", "p1"), Self.issue)
        let reader = try await served.stream("/scopes/project?project=p1", as: "u1")
        let state = try #require(try await reader.state().last)
        let edit =
            #"{"jsonrpc":"2.0","id":1,"method":"optimistic.update","params":{"pending_id":"e1","changes":"#
            + #"[{"op":"patch","resource_type":"issue","id":"i1","fields":{"title":"pending"}}]}}"#
        let answer = try await served.ask(
            "POST", "/rpc", as: served.token.text, ["Content-Type: application/json"], body: edit)
        #expect(answer.status == 200 && answer.text.contains(#""result""#), "\(answer.text)")
        try await served.feed(
            #"{"event":{"Refresh":{}}}"#, #"{"event":{"SomethingNew":{"id":"i1"}}}"#,
            #"{"metadata":{"source":"x"},"sync_id":"y","event":{"ResourceChanged":{"resource_type":"issue","resource":{"id":"i2","project":"p1"},"metadata":{"affected_paths":["z"]}}}}"#
        )
        let line = try await reader.line()
        let (library, epoch) = (try #require(state.library), try #require(state.epoch))
        #expect(
            line.text
                == #"{"envelope":{"library_id":"\#(library)","epoch":"\#(epoch)","sequence":2097152,"prev":1048576},"#
                + #""event":{"ResourceChanged":{"resource_type":"issue","resource":{"id":"i2","project":"p1"}}}}"#)
        // A state has the server's data too.
        let again = try await served.stream("/scopes/project?project=p1", as: "u1").state()
        #expect(!again.contains { $0.text.contains("pending") })
        try await served.stop()
    }

    @Test func `heartbeats say that the source lacks events`() async throws {
        var serving = ScopeServingLimits()
        serving.heartbeatMillisecondCount = 1
        let served = try await Served(serving: serving)
        func line(_ sequence: Int) -> String {
            #"{"sequence":\#(sequence),"event":"#
                + Served.change("project", #"{"id":"p\#(sequence)","public":true}"#) + "}"
        }
        try await served.feed(line(1))
        let reader = try await served.stream("/scopes/public", as: "u1")
        let state = try await reader.state()
        #expect(state.last?.text.contains("stale") == false)
        try await served.feed(line(3))
        // Nobody has the second event, so it is lost after the reorder window.
        let lines = try await reader.lines { $0.text.contains(#""stale":true"#) }
        #expect(lines.last?.isHeartbeat == true && lines.last?.sequence == nil)
        try await served.stop()
    }

    // MARK: Others

    /// Knows everybody as `issuer/subject`.
    private struct Issuers: ScopeAuthenticator {
        func authenticate(bearer: String, now: Date) async throws(ScopeTokenError) -> ScopeIdentity {
            let parts = bearer.split(separator: "/").map(String.init)
            guard parts.count == 2 else { throw .malformed }
            return ScopeIdentity(
                subject: ByteString(parts[1]), issuer: ByteString(parts[0]),
                claims: Array(#"{"sub":"\#(parts[1])"}"#.utf8), expiry: .distantFuture, keyID: ScopeKeyID(name: nil))
        }
    }

    /// Confirms every edit.
    private final class Service: ScopeEditUpstream {
        let calls = Mutex(0)
        let result: String

        init(_ result: String = "{}") { self.result = result }

        func send(_ edit: ScopeEditCall) async -> ScopeEditOutcome {
            calls.withLock { $0 += 1 }
            return .confirmed(result: Array(result.utf8))
        }
    }

    private static let edit =
        #"{"pending_id":"e1","method":"m","input":{},"changes":[{"op":"patch","resource_type":"issue","id":"i9","fields":{}}]}"#

    @Test func `a subject of another issuer is somebody else`() async throws {
        let service = Service()
        var serving = ScopeServingLimits()
        serving.subjectStreamCountMax = 1
        let served = try await Served(authenticator: Issuers(), edits: service, serving: serving)
        try await served.feed(Served.member("u1", "p1"), Self.issue)
        let first = try await served.stream("/scopes/project?project=p1", as: "a/u1")
        let state = try #require(try await first.state().last)
        let place = "&after=\(try #require(state.sequence))&epoch=\(try #require(state.epoch))"
        // Streams are counted for each, and an epoch is its own reader's.
        let second = try await served.stream("/scopes/project?project=p1" + place, as: "b/u1")
        #expect(try await second.line().isReset)
        #expect(try await served.ask("GET", "/scopes/project?project=p1", as: "a/u1").status == 429)
        for issuer in ["a", "b"] {
            let answer = try await served.ask(
                "POST", "/scopes/project/edits?project=p1", as: "\(issuer)/u1", ["Content-Type: application/json"],
                body: Self.edit)
            #expect(answer.status == 200)
        }
        #expect(service.calls.withLock { $0 } == 2)
        withExtendedLifetime((first, second)) {}
        try await served.stop()
    }

    @Test func `an edit of an entity that the scope does not show confirms nothing`() async throws {
        let service = Service(#"{"confirmed":[{"id":"i9","project":"p2","title":"hidden"}],"sequence":4}"#)
        let served = try await Served(edits: service)
        try await served.feed(
            Served.member("u1", "p1"), Served.change("issue", #"{"id":"i9","project":"p2","title":"hidden"}"#))
        let answer = try await served.ask(
            "POST", "/scopes/project/edits?project=p1", as: "u1", ["Content-Type: application/json"], body: Self.edit)
        #expect(answer.status == 200)
        #expect(answer.text == #"{"jsonrpc":"2.0","id":null,"result":{}}"# + "\n")
        try await served.stop()
    }

    @Test func `the streams of everybody together are limited`() async throws {
        var serving = ScopeServingLimits()
        serving.streamCountMax = 2
        let served = try await Served(serving: serving)
        let readers = [
            try await served.stream("/scopes/public", as: "u1"), try await served.stream("/scopes/public", as: "u2"),
        ]
        let refused = try await served.ask("GET", "/scopes/public", as: "u3")
        #expect((refused.status, refused.code) == (429, "too_many_streams"))
        withExtendedLifetime(readers) {}
        try await served.stop()
    }
}
