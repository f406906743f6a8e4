import Synchronization
import TestTraits
import Testing
import Tidemark
import TidemarkModel
import TidemarkServer
import TidemarkTesting

/// Edits through scopes.
@Suite(.pooled, .ownThreads) struct ScopeEditTests {
    /// A service that answers as it is told, and remembers what it was handed.
    private final class Service: ScopeEditUpstream {
        let outcomes: Mutex<[ScopeEditOutcome]>
        let calls = Mutex<[ScopeEditCall]>([])

        init(_ outcomes: ScopeEditOutcome...) { self.outcomes = Mutex(outcomes) }

        func send(_ edit: ScopeEditCall) async -> ScopeEditOutcome {
            calls.withLock { $0.append(edit) }
            return outcomes.withLock { $0.isEmpty ? .unavailable : $0.removeFirst() }
        }

        var count: Int { calls.withLock(\.count) }
    }

    private static let path = "/scopes/project/edits?project=p1"

    private static func body(_ id: String, title: String = "b") -> String {
        #"{"pending_id":"\#(id)","method":"issue.rename","input":{"id":"i1","title":"\#(title)"},"#
            + #""changes":[{"op":"patch","resource_type":"issue","id":"i1","fields":{"title":"\#(title)"}}]}"#
    }

    private func post(_ served: ServedScopes, _ body: String, as reader: String = "u1") async throws
        -> RawConnection.Answer
    {
        try await served.ask("POST", Self.path, as: reader, ["Content-Type: application/json"], body: body)
    }

    private static func result(_ json: String) -> ScopeEditOutcome { .confirmed(result: Array(json.utf8)) }

    @Test func `an edit is handed on once, and its outcome is shown as the scope shows entities`() async throws {
        let store = MemoryJournal.Store()
        let confirmed =
            #"{"confirmed":[{"id":"i1","project":"p1","title":"b","internal_notes":"secret"}],"sequence":9}"#
        let service = Service(Self.result(confirmed))
        var served = try await ServedScopes(journal: MemoryJournal(store: store), edits: service)
        try await served.feed(
            ServedScopes.member("u1", "p1"),
            ServedScopes.change("issue", #"{"id":"i1","project":"p1","title":"a","internal_notes":"secret"}"#))
        let expected =
            #"{"jsonrpc":"2.0","id":null,"result":{"confirmed":[{"id":"i1","project":"p1","title":"b"}]}}"# + "\n"
        for _ in 0..<2 {
            let answer = try await post(served, Self.body("e1"))
            #expect((answer.status, answer.text) == (200, expected))
        }
        let calls = service.calls.withLock { $0 }
        let call = try #require(calls.first)
        #expect(String(decoding: call.parameters, as: UTF8.self) == #"{"project":"p1"}"#)
        #expect(String(decoding: call.claims, as: UTF8.self) == #"{"sub":"u1"}"#)
        let reused = try await post(served, Self.body("e1", title: "c"))
        #expect((reused.status, reused.code) == (409, "pending_id_reused"))
        try await served.stop()
        served = try await ServedScopes(journal: MemoryJournal(store: store), edits: service)
        #expect(try await post(served, Self.body("e1")).text == expected)
        #expect(service.count == 1)
        // Nobody else's edit is meant by the id, and somebody without access hands nothing on.
        #expect(try await post(served, Self.body("e1"), as: "u2").status == 403)
        #expect(service.count == 1)
        try await served.stop()
    }

    @Test func `an edit whose author loses access before it is handed on is refused`() async throws {
        let journal = MemoryJournal()
        let service = Service(Self.result("{}"))
        let served = try await ServedScopes(journal: journal, edits: service)
        try await served.feed(ServedScopes.member("u1", "p1"))
        await journal.pause()
        async let answer = post(served, Self.body("e1"))
        // The edit waits for its entry to be written.
        await journal.waitUntilHeld()
        try await served.cache.ingest(Array((ServedScopes.delete("membership", "u1-p1") + "\n").utf8))
        await journal.resume()
        #expect(try await answer.status == 403)
        #expect(service.count == 0)
        try await served.feed(ServedScopes.member("u1", "p1"))
        #expect(try await post(served, Self.body("e1")).status == 200)
        #expect(service.count == 1)
        try await served.stop()
    }

    @Test func `the event that confirms an edit names it to its author alone`() async throws {
        let service = Service(Self.result("{}"))
        let served = try await ServedScopes(edits: service)
        try await served.feed(ServedScopes.member("u1", "p1"), ServedScopes.member("u2", "p1"))
        let author = try await served.stream("/scopes/project?project=p1", as: "u1")
        let other = try await served.stream("/scopes/project?project=p1", as: "u2")
        _ = try await author.state()
        _ = try await other.state()
        #expect(try await post(served, Self.body("e1")).status == 200)
        try await served.feed(
            #"{"mutation_id":"e1","event":{"ResourceChanged":{"resource_type":"issue","resource":{"id":"i1","project":"p1"}}}}"#
        )
        #expect(try await author.line().text.contains(#""mutation_id":"e1""#))
        #expect(try await !other.line().text.contains("mutation_id"))
        try await served.stop()
    }

    @Test func `a final error is kept, and a passing one is tried again`() async throws {
        let service = Service(.unavailable, .refused(error: Array(#"{"code":1,"message":"no"}"#.utf8)))
        let served = try await ServedScopes(edits: service)
        try await served.feed(ServedScopes.member("u1", "p1"))
        let passing = try await post(served, Self.body("e1"))
        #expect(passing.status == 503 && passing.field("Retry-After") != nil)
        for _ in 0..<2 {
            let final = try await post(served, Self.body("e1"))
            #expect(final.status == 409 && final.text.contains(#""error":{"code":1,"message":"no"}"#))
        }
        #expect(service.count == 2)
        let without = try await post(served, "{}")
        #expect(without.status == 400)
        try await served.stop()
        let readOnly = try await ServedScopes()
        #expect(try await post(readOnly, Self.body("e1")).status == 404)
        try await readOnly.stop()
    }
}
