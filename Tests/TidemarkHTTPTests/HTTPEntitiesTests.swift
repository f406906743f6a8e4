import TestTraits
import Testing
import Tidemark
import TidemarkHTTP
import TidemarkHTTPRecords
import TidemarkHTTPRules
import TidemarkModel
import TidemarkStore
import TidemarkTesting

@Suite(.pooled) struct HTTPEntitiesTests {
    private static let one = #"{"resource_type":"file"}"#
    private static let list = #"{"resource_type":"file","pointer":"/data","method":"all"}"#

    @Test func `the entities of an answer are stored with it, and renewed by a 304`() async throws {
        let fixture = try await HTTPFixture()
        fixture.server.answers(200, [("ETag", "\"1\"")], #"{"data":[{"id":"f1","name":"a"},{"id":"f2","name":"b"}]}"#)
        let first = try await fixture.fetch(normalize: Self.list)
        #expect(first.normalized == .entities(2))
        #expect(try await fixture.entity("f1").entity == Array(#"{"id":"f1","name":"a"}"#.utf8))
        fixture.pass(100)
        #expect(try await age(of: "f1", fixture) == 100)
        let second = try await fixture.fetch(normalize: Self.list)
        #expect(second.isRevalidated && second.normalized == .entities(2))
        #expect(try await age(of: "f1", fixture) == 0)
        #expect(try await age(of: "f2", fixture) == 0)
        try await fixture.reopen()
        #expect(try await age(of: "f1", fixture) == 0)
        try await fixture.close()
    }

    private func age(of id: String, _ fixture: HTTPFixture) async throws -> Int64? {
        let explanation = try await fixture.cache.explain(
            EntityKey(library: "", type: "file", id: ByteString(id)), maxAges: [:])
        // In whole seconds: the clock passes over the short pauses of the engine itself.
        return explanation.fields.first { $0.name == "name" }.map { $0.age / 1_000 }
    }

    @Test func `a renewal makes the list fresh, and leaves what an event wrote since`() async throws {
        let fixture = try await HTTPFixture()
        fixture.server.answers(
            200, [("ETag", "\"1\""), ("Tidemark-Sequence", "5")],
            #"{"data":[{"id":"f1","name":"a"},{"id":"f2","name":"b"}]}"#)
        _ = try await fixture.fetch(normalize: Self.list)
        try await fixture.cache.ingest(
            Array(
                #"{"sequence":6,"event":{"ResourceChanged":{"resource_type":"file","resource":{"id":"f1","name":"event"}}}}"#
                    .utf8) + [0x0A])
        _ = try await fixture.cache.invalidate(Invalidation(library: ""))
        fixture.pass(100)
        _ = try await fixture.fetch(normalize: Self.list)
        #expect(try await fixture.entity("f1").entity == Array(#"{"id":"f1","name":"event"}"#.utf8))
        #expect(try await age(of: "f1", fixture) == 100)
        #expect(try await age(of: "f2", fixture) == 0)
        try await fixture.close()
    }

    /// Answers that were stored for a request without `normalize`, or with another one.
    @Test(arguments: ["a hit", "a 304", "a fallback"])
    func `a stored answer becomes entities for the first request that asks for them`(served: String) async throws {
        let fixture = try await HTTPFixture()
        fixture.server.answers(
            200, [("ETag", "\"1\""), ("Cache-Control", "max-age=600")],
            #"{"data":[{"id":"f1","name":"a"},{"id":"f2","name":"b"}]}"#)
        #expect(try await fixture.fetch().normalized == nil)
        try await fixture.ingest(
            6, #"{"ResourceChanged":{"resource_type":"file","resource":{"id":"f1","name":"event"}}}"#)
        if served == "a fallback" { fixture.server.fails(.offline) }
        let rules: CacheRules = served == "a hit" ? .standard : .only([.etag, .loadIfOffline])
        let fetched = try await fixture.fetch("http://a.test/x", rules, normalize: Self.list)
        #expect(fetched.isFromCache && fetched.normalized == .entities(2))
        #expect(fetched.isRevalidated == (served == "a 304") && fetched.status.isFallback == (served == "a fallback"))
        #expect(try await fixture.entity("f2").entity == Array(#"{"id":"f2","name":"b"}"#.utf8))
        // The server has just confirmed the answer; without its word the event is newer than what nobody can place.
        let first = served == "a 304" ? "a" : "event"
        #expect(try await fixture.entity("f1").entity == Array(#"{"id":"f1","name":"\#(first)"}"#.utf8))
        let list = try await fixture.cache.query(
            File.self, method: "all", input: JSONValue.null, policy: .cacheOnly, allowsStale: true)
        #expect(list.items.map(\.id) == ["f1", "f2"])
        // The next hit finds them made, and brings nothing back.
        var removal = Removal(library: "")
        removal.resourceType = "file"
        _ = try await fixture.cache.remove(removal)
        let again = try await fixture.fetch("http://a.test/x", .only(.enabled), normalize: Self.list)
        #expect(again.isFromCache && again.normalized == .entities(2))
        #expect(try await fixture.entity("f2").entity == nil)
        let wrong = #"{"resource_type":"file","pointer":"/nothing"}"#
        guard case .error = try await fixture.fetch("http://a.test/x", .only(.enabled), normalize: wrong).normalized
        else { throw Unexpected() }
        try await fixture.close()
    }

    private struct Unexpected: Error {}

    private struct File: Resource {
        static let resourceType = "file"
        var id: String
        var name: String
    }

    @Test func `a renewal brings back nothing that was removed`() async throws {
        let fixture = try await HTTPFixture()
        fixture.server.answers(200, [("ETag", "\"1\"")], #"{"id":"f1","name":"a"}"#)
        _ = try await fixture.fetch(normalize: Self.one)
        var removal = Removal(library: "")
        removal.resourceType = "file"
        _ = try await fixture.cache.remove(removal)
        _ = try await fixture.fetch(normalize: Self.one)
        #expect(try await fixture.entity("f1").entity == nil)
        try await fixture.close()
    }

    @Test func `an equal body renews as a 304 does`() async throws {
        let fixture = try await HTTPFixture()
        let body = #"{"data":[{"id":"f1","name":"a"},{"id":"f2","name":"b"},{"id":"f3","name":"c"}]}"#
        fixture.server.answers(200, [("Tidemark-Sequence", "5")], body)
        _ = try await fixture.fetch(normalize: Self.list)
        try await fixture.ingest(
            6, #"{"ResourceChanged":{"resource_type":"file","resource":{"id":"f1","name":"event"}}}"#)
        var removal = Removal(library: "")
        (removal.resourceType, removal.ids) = ("file", ["f3"])
        _ = try await fixture.cache.remove(removal)
        _ = try await fixture.cache.invalidate(Invalidation(library: ""))
        fixture.pass(100)
        fixture.server.answers(200, [("X-New", "1")], body)
        let equal = try await fixture.fetch(normalize: Self.list)
        #expect(!equal.isFromCache && equal.isStored && equal.normalized == .entities(1))
        #expect(try await fixture.entity("f1").entity == Array(#"{"id":"f1","name":"event"}"#.utf8))
        #expect(try await age(of: "f1", fixture) == 100)
        #expect(try await age(of: "f2", fixture) == 0)
        #expect(try await fixture.entity("f3").entity == nil)
        // The new answer is the stored one, with its own fields.
        #expect(try await fixture.fetch("http://a.test/x", .only(.enabled)).head.fields.contains("x-new"))
        // An answer that names a later position says what the entities were there.
        fixture.server.answers(200, [("Tidemark-Sequence", "7")], body)
        #expect(try await fixture.fetch(normalize: Self.list).normalized == .entities(3))
        #expect(try await fixture.entity("f1").entity == Array(#"{"id":"f1","name":"a"}"#.utf8))
        try await fixture.close()
    }

    @Test(arguments: [(nil, false), ("7", true)] as [(String?, Bool)])
    func `a 404 deletes at its sequence`(named: String?, holdsOffSix: Bool) async throws {
        let fixture = try await HTTPFixture()
        fixture.server.answers(200, [("Tidemark-Sequence", "5")], #"{"id":"f1","name":"a"}"#)
        _ = try await fixture.fetch(normalize: Self.one)
        try await fixture.ingest(5, Self.event("f1"))
        // The log is at 5; number 6 comes after the answer.
        fixture.server.answers(404, named.map { [("Tidemark-Sequence", $0)] } ?? [])
        _ = try await fixture.fetch(normalize: Self.one)
        #expect(try await fixture.entity("f1").miss == .deleted)
        #expect(try await fixture.client.list(HTTPSelection(), after: nil, countMax: 9).entries.isEmpty)
        try await fixture.reopen()
        try await fixture.ingest(6, Self.event("f1"))
        #expect(try await (fixture.entity("f1").entity == nil) == holdsOffSix)
        try await fixture.ingest(7, Self.event("f2"))
        try await fixture.ingest(8, Self.event("f1"))
        #expect(try await fixture.entity("f1").entity != nil)
        try await fixture.close()
    }

    private static func event(_ id: String) -> String {
        EventLine.change(#"{"id":"\#(id)","name":"event"}"#)
    }

    @Test(arguments: [404, 410])
    func `an answer that is gone deletes its entity`(status: Int) async throws {
        let fixture = try await HTTPFixture()
        fixture.server.answers(200, [("ETag", "\"1\"")], #"{"id":"f1","name":"a"}"#)
        _ = try await fixture.fetch(normalize: Self.one)
        fixture.server.answers(status)
        _ = try await fixture.fetch(normalize: Self.one)
        #expect(try await fixture.entity("f1").miss == .deleted)
        try await fixture.close()
    }

    @Test func `an entity with a newer event survives a 404`() async throws {
        let fixture = try await HTTPFixture()
        fixture.server.answers(200, [("ETag", "\"1\""), ("Tidemark-Sequence", "5")], #"{"id":"f1","name":"a"}"#)
        _ = try await fixture.fetch(normalize: Self.one)
        try await fixture.cache.ingest(
            Array(
                #"{"sequence":9,"event":{"ResourceChanged":{"resource_type":"file","resource":{"id":"f1","name":"event"}}}}"#
                    .utf8) + [0x0A])
        fixture.server.answers(404, [("Tidemark-Sequence", "7")])
        _ = try await fixture.fetch(normalize: Self.one)
        #expect(try await fixture.entity("f1").entity != nil)
        try await fixture.close()
    }

    @Test(arguments: [("no json", Self.one), (#"{"id":"f1"}"#, Self.list), ("[1]", Self.one), ("3", Self.one)])
    func `a body that is something else is served, and says why`(body: String, spec: String) async throws {
        let fixture = try await HTTPFixture()
        fixture.server.answers(200, [], body)
        let fetched = try await fixture.fetch(normalize: spec)
        #expect(fetched.text == body && fetched.isStored)
        guard case .error = fetched.normalized else {
            Issue.record("\(String(describing: fetched.normalized))")
            return
        }
        try await fixture.close()
    }

    @Test func `an answer whose entities have newer events is asked for again, where that is wanted`() async throws {
        let fixture = try await HTTPFixture()
        let spec = #"{"resource_type":"file","fresh_entities":true}"#
        fixture.server.answers(
            200, [("Cache-Control", "max-age=60"), ("Tidemark-Sequence", "5")], #"{"id":"f1","name":"a"}"#)
        _ = try await fixture.fetch("http://a.test/x", .standard, normalize: spec)
        #expect(try await fixture.fetch("http://a.test/x", .standard, normalize: spec).isFromCache)
        try await fixture.cache.ingest(
            Array(
                #"{"sequence":6,"event":{"ResourceChanged":{"resource_type":"file","resource":{"id":"f1","name":"event"}}}}"#
                    .utf8) + [0x0A])
        #expect(try await fixture.fetch("http://a.test/x", .standard).isFromCache)
        #expect(try await !fixture.fetch("http://a.test/x", .standard, normalize: spec).isFromCache)
        try await fixture.close()
    }
}
