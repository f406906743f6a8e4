import TestTraits
import Testing
import Tidemark
import TidemarkModel
import TidemarkScopeFeed
import TidemarkTestKit
import TidemarkTesting

/// A feed against a server in the test's own process.
///
/// - Source: Protocol/scopes.md, what a reader does.
@Suite(.pooled) struct ScopeFeedTests {
    private let log = ScopeLog()

    @Test func `a state arrives, and the feed resumes behind it after a cut and after a restart`() async throws {
        let server = try FakeScopeServer()
        defer { server.server.stop() }
        let store = MemoryJournal.Store()
        server.streams(FakeScopeServer.stream(log.state(["a", "b"]), end: .close))
        server.streams(FakeScopeServer.stream([log.change("c", 200, previous: 100), log.heartbeat(200)], end: .close))
        let first = try await ScopeFeedFixture(server, journal: MemoryJournal(store: store))
        #expect(try await first.run([try first.feed()]) { server.targets("GET").count >= 3 })
        #expect(try await first.ids() == ["a", "b", "c"])
        #expect(await first.phase() == .live)
        #expect(
            server.targets("GET").prefix(3) == [
                "GET /scopes/project?project=p7 HTTP/1.1",
                "GET /scopes/project?project=p7&after=100&epoch=e1 HTTP/1.1",
                "GET /scopes/project?project=p7&after=200&epoch=e1 HTTP/1.1",
            ])
        #expect(first.statuses.contains(.following(library: "scope-1")))
        try await first.cache.close()

        let count = server.targets("GET").count
        let second = try await ScopeFeedFixture(server, journal: MemoryJournal(store: store))
        #expect(try await second.run([try second.feed()]) { server.targets("GET").count > count })
        #expect(server.targets("GET").last == "GET /scopes/project?project=p7&after=200&epoch=e1 HTTP/1.1")
        #expect(try await second.feed().library() == "scope-1")
    }

    @Test func `after a cut inside a unit the next stream may number other lines alike`() async throws {
        let server = try FakeScopeServer()
        defer { server.server.stop() }
        let half = [log.change("x", 101, previous: 100, hasMore: true), log.departure("a", 102, hasMore: true)]
        server.streams(FakeScopeServer.stream(log.state(["a"]) + half, end: .close))
        server.streams(
            FakeScopeServer.stream([
                log.change("y", 101, previous: 100, hasMore: true), log.change("d", 102, hasMore: true),
                log.change("c", 200, previous: 102),
            ]))
        let fixture = try await ScopeFeedFixture(server)
        #expect(
            try await fixture.run([try fixture.feed()]) {
                await fixture.cache.status(of: "scope-1").cursor == EventSequence(200)
            })
        #expect(try await fixture.ids() == ["a", "c", "d", "y"])
        #expect(server.targets("GET").last?.contains("after=100&epoch=e1") == true)
    }

    @Test func `a state that was cut is asked for anew`() async throws {
        let server = try FakeScopeServer()
        defer { server.server.stop() }
        server.streams(FakeScopeServer.stream(Array(log.state(["a", "b"]).dropLast()), end: .close))
        server.streams(FakeScopeServer.stream(ScopeLog(epoch: "e2").state(["b"])))
        let fixture = try await ScopeFeedFixture(server)
        #expect(try await fixture.run([try fixture.feed()]) { await fixture.phase() == .live })
        #expect(try await fixture.ids() == ["b"])
        #expect(server.targets("GET").allSatisfy { !$0.contains("after") })
    }

    @Test func `a refused token is renewed, and one that ended in the stream`() async throws {
        let server = try FakeScopeServer()
        defer { server.server.stop() }
        server.streams(FakeScopeServer.status("401 Unauthorized"))
        server.streams(FakeScopeServer.stream(log.state(["a"]) + [ScopeLog.bye("token_expired")], end: .close))
        server.streams(FakeScopeServer.stream([log.heartbeat(100), ScopeLog.bye("token_revoked")], end: .close))
        let fixture = try await ScopeFeedFixture(server)
        #expect(try await fixture.run([try fixture.feed()]) { server.targets("GET").count >= 4 })
        #expect(server.tokens.prefix(4) == ["t1", "t2", "t3", "t4"])
        #expect(try await fixture.ids() == ["a"])
    }

    @Test func `403 drops what the scope showed, and keeps pending edits`() async throws {
        let server = try FakeScopeServer()
        defer { server.server.stop() }
        server.streams(FakeScopeServer.stream(log.state(["a", "b"]), end: .close))
        server.streams(FakeScopeServer.status("403 Forbidden"))
        let fixture = try await ScopeFeedFixture(server)
        try await fixture.cache.update(
            OptimisticUpdate(
                pendingID: "p1", library: "scope-1",
                operations: [.patch(type: "file", id: "a", fields: Array(#"{"n":2}"#.utf8), unset: [])]))
        #expect(try await fixture.run([try fixture.feed()]) { fixture.statuses.contains(.forbidden) })
        #expect(try await fixture.ids() == [])
        #expect(await fixture.cache.pendingLayers().map(\.pendingID) == ["p1"])
    }

    @Test func `a scope that is taken away in the stream is empty, and one that comes back is filled`() async throws {
        let server = try FakeScopeServer()
        defer { server.server.stop() }
        server.streams(
            FakeScopeServer.stream(
                log.state(["a", "b"])
                    + [
                        log.departure("a", 101, hasMore: true), log.departure("b", 200, previous: 101),
                        ScopeLog.bye("forbidden"),
                    ],
                end: .close))
        server.streams(FakeScopeServer.stream([log.change("a", 300, previous: 200)]))
        let fixture = try await ScopeFeedFixture(server)
        #expect(try await fixture.run([try fixture.feed()]) { try await fixture.ids() == ["a"] })
        #expect(fixture.statuses.contains(.forbidden))
        #expect(server.targets("GET").last?.contains("after=200") == true)
    }

    @Test func `a scope that does not exist keeps what it showed`() async throws {
        let server = try FakeScopeServer()
        defer { server.server.stop() }
        server.streams(FakeScopeServer.stream(log.state(["a"]), end: .close))
        server.streams(FakeScopeServer.status("404 Not Found"))
        let fixture = try await ScopeFeedFixture(server)
        #expect(try await fixture.run([try fixture.feed()]) { fixture.statuses.contains(.notFound) })
        #expect(try await fixture.ids() == ["a"])
    }

    @Test func `a busy server is left alone for as long as it says`() async throws {
        let server = try FakeScopeServer()
        defer { server.server.stop() }
        server.streams(FakeScopeServer.status("429 Too Many Requests", ["Retry-After: 17"]))
        server.streams(FakeScopeServer.status("503 Service Unavailable", ["Retry-After: soon"]))
        server.streams(FakeScopeServer.stream(log.state(["a"])))
        let fixture = try await ScopeFeedFixture(server)
        #expect(try await fixture.run([try fixture.feed()]) { await fixture.phase() == .live })
        let pauses = fixture.statuses.compactMap { status -> Int64? in
            if case .waiting(_, let milliseconds) = status { milliseconds } else { nil }
        }
        #expect(pauses.count == 2 && pauses[0] == 17_000 && pauses[1] <= 2_000)
    }

    @Test func `missing lines are asked for, with the epoch and the token`() async throws {
        let server = try FakeScopeServer()
        defer { server.server.stop() }
        server.streams(FakeScopeServer.stream(log.state(["a"]) + [log.change("c", 300, previous: 200)]))
        server.calls(
            FakeScopeServer.status(
                "200 OK", [],
                #"{"jsonrpc":"2.0","id":"1","result":{"events":[\#(log.change("b", 200, previous: 100))]}}"#))
        let fixture = try await ScopeFeedFixture(server)
        #expect(
            try await fixture.run([try fixture.feed()]) {
                await fixture.cache.status(of: "scope-1").cursor == EventSequence(300)
            })
        #expect(try await fixture.ids() == ["a", "b", "c"])
        #expect(server.targets("POST") == ["POST /scopes/project?project=p7&epoch=e1 HTTP/1.1"])
        #expect(await fixture.phase() == .live)
    }

    @Test func `lines that nobody has any more are followed by a new state`() async throws {
        let server = try FakeScopeServer()
        defer { server.server.stop() }
        server.streams(
            FakeScopeServer.stream(log.state(["a"]) + [log.change("c", 300, previous: 200)], end: .close))
        let over = #"{"code":1017,"message":"over","data":{"code":"epoch_over"}}"#
        for _ in 0..<9 {
            server.calls(FakeScopeServer.status("200 OK", [], #"{"jsonrpc":"2.0","id":"1","error":\#(over)}"#))
        }
        let fixture = try await ScopeFeedFixture(server, hasUpstream: false)
        server.streams(FakeScopeServer.stream(ScopeLog(epoch: "e2").state(["d"])))
        #expect(try await fixture.run([try fixture.feed()]) { try await fixture.ids() == ["d"] })
        #expect(await fixture.phase() == .live)
    }

    @Test func `an edit is sent, and its outcome settles it`() async throws {
        let server = try FakeScopeServer()
        defer { server.server.stop() }
        server.streams(FakeScopeServer.stream(log.state(["a"])))
        server.edits(FakeScopeServer.status("503 Service Unavailable", ["Retry-After: 1"]))
        server.edits(FakeScopeServer.status("200 OK", [], #"{"result":{"confirmed":{"id":"b","n":7}}}"#))
        server.edits(
            FakeScopeServer.status(
                "409 Conflict", [], #"{"error":{"message":"no","data":{"code":"pending_id_reused"}}}"#))
        let fixture = try await ScopeFeedFixture(server)
        func add(_ id: String) async throws {
            let resource = Array(#"{"id":"\#(id)","n":1}"#.utf8)
            try await fixture.cache.update(
                OptimisticUpdate(
                    pendingID: ByteString("p-\(id)"), library: "scope-1",
                    operations: [.put(type: "file", resource: resource)],
                    send: MutationRequest(method: "files.put", compactInput: Array("1".utf8))))
        }
        // Before that no scope feeds the library, and the edit would wait longer and longer for one.
        #expect(try await fixture.run([try fixture.feed()]) { await fixture.phase() == .live })
        try await add("b")
        #expect(try await fixture.run([try fixture.feed()]) { await fixture.cache.pendingLayers().isEmpty })
        #expect(try await fixture.ids().contains("b"))
        #expect(server.targets("POST").allSatisfy { $0 == "POST /scopes/project/edits?project=p7 HTTP/1.1" })
        try await add("c")
        #expect(
            try await fixture.run([try fixture.feed()]) {
                await fixture.cache.outboxStatuses().contains {
                    $0.state == .failed && $0.failure?.code == "pending_id_reused"
                }
            })
    }

    @Test func `another subject's library replaces the former one`() async throws {
        let server = try FakeScopeServer()
        defer { server.server.stop() }
        server.streams(FakeScopeServer.stream(log.state(["a"]), end: .close))
        server.streams(FakeScopeServer.stream(ScopeLog(library: "scope-2").state(["b"])))
        let fixture = try await ScopeFeedFixture(server)
        #expect(try await fixture.run([try fixture.feed()]) { try await fixture.ids("scope-2") == ["b"] })
        #expect(try await fixture.ids() == [])
        #expect(try await fixture.feed().library() == "scope-2")
    }

    @Test func `several scopes are libraries of one cache`() async throws {
        let server = try FakeScopeServer()
        defer { server.server.stop() }
        server.streams(FakeScopeServer.stream(log.state(["a", "b"])))
        server.streams(FakeScopeServer.stream(ScopeLog(library: "scope-2").state(["b", "c"])))
        let fixture = try await ScopeFeedFixture(server)
        #expect(
            try await fixture.run([try fixture.feed(), try fixture.feed(["project": "p8"])]) {
                let phases = [await fixture.phase("scope-1"), await fixture.phase("scope-2")]
                return phases == [.live, .live]
            })
        #expect(try await fixture.ids("scope-1") == ["a", "b"])
        #expect(try await fixture.ids("scope-2") == ["b", "c"])
    }

    @Test func `a line about another library ends the stream, and changes nothing`() async throws {
        let server = try FakeScopeServer()
        defer { server.server.stop() }
        server.streams(FakeScopeServer.stream(log.state(["a"]) + [ScopeLog(library: "mine").change("x", 1)]))
        server.streams(FakeScopeServer.stream([ScopeLog(library: "").change("x", 1)]))
        server.streams(FakeScopeServer.stream([#"{"ResourceChanged":{"resource_type":"file","resource":{"id":"x"}}}"#]))
        let fixture = try await ScopeFeedFixture(server)
        #expect(try await fixture.run([try fixture.feed()]) { server.targets("GET").count >= 4 })
        for library in ["mine", "", "scope-1"] as [ByteString] {
            #expect(try await !fixture.ids(library).contains("x"))
        }
    }
}
