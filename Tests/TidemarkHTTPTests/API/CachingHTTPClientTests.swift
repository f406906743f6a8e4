import HTTPTypes
import TestTraits
import Testing
import Tidemark
import TidemarkHTTP
import TidemarkHTTPRules
import TidemarkModel
import TidemarkTesting

@Suite(.pooled) struct CachingHTTPClientTests {
    @Test func `a program fetches in the terms of swift-http-types`() async throws {
        let fixture = try await HTTPFixture()
        fixture.server.answers(200, [("ETag", "\"1\""), ("X-A", "1"), ("X-A", "2")], "body")
        let answers = HTTPResponseCache(fixture.cache)
        let client = CachingHTTPClient(cache: answers, transport: fixture.server)
        let request = HTTPRequest(method: .get, scheme: "http", authority: "a.test", path: "/x")
        let first = try await client.fetch(request)
        #expect(!first.wasLoadedFromCache && first.isStored && first.body == Array("body".utf8))
        let second = try await client.fetch(request)
        #expect(second.wasLoadedFromCache && second.wasRevalidated && second.response.status == .ok)
        #expect(second.response.headerFields.map(\.value).prefix(3) == ["\"1\"", "1", "2"])
        fixture.server.fails(.offline)
        fixture.pass(60)
        let third = try await client.fetch(request, policy: [.etag, .loadIfOffline])
        #expect(third.wasLoadedFromCache && third.isStale && third.age == .seconds(60))
        await #expect {
            try await client.fetch(request, policy: .standard, storage: .session)
        } throws: { ($0 as? CacheError)?.code == .offline }
        #expect(try await answers.invalidate(prefix: "http://a.test/") == 1)
        await client.close()
        try await fixture.close()
    }

    @Test func `the timeout decides, and is refused without its number`() async throws {
        let fixture = try await HTTPFixture()
        fixture.server.answers(200, [], "body")
        let client = CachingHTTPClient(cache: HTTPResponseCache(fixture.cache), transport: fixture.server)
        let request = HTTPRequest(method: .get, scheme: "http", authority: "a.test", path: "/x")
        _ = try await client.fetch(request)
        #expect(try await client.fetch(request, policy: .timeout, timeout: .seconds(5)).wasLoadedFromCache)
        await #expect {
            try await client.fetch(request, policy: .timeout)
        } throws: { ($0 as? CacheError)?.code == .invalidParams }
        #expect(fixture.server.asked.count == 1)
        await client.close()
        try await fixture.close()
    }

    private struct Photo: Resource, Equatable {
        static let resourceType = "photo"
        var id: String
        var stars: Int
    }

    @Test func `a program makes entities of an answer, and reads their list`() async throws {
        let fixture = try await HTTPFixture()
        fixture.server.answers(
            200, [("ETag", "\"1\""), ("X-Position", "7")],
            #"{"photos":[{"id":"1","stars":5}],"users":[{"id":"u"}]}"#)
        var defaults = CachingHTTPClient.Defaults()
        defaults.sequenceHeader = "X-Position"
        let client = CachingHTTPClient(
            cache: HTTPResponseCache(fixture.cache), transport: fixture.server, defaults: defaults)
        let request = HTTPRequest(method: .get, scheme: "http", authority: "a.test", path: "/x")
        var entities = HTTPEntities(resourceType: "photo", pointer: "/photos", method: "best", input: ["limit": 9])
        entities.included = [.init(resourceType: "user", pointer: "/users")]
        let first = try await client.fetch(request, normalize: entities, requestTimeout: .seconds(5))
        #expect(first.normalized == .entities(2) && fixture.server.asked.last?.timeout == .seconds(5))
        let list = try await fixture.cache.query(
            Photo.self, method: "best", input: ["limit": 9], policy: .cacheOnly)
        #expect(list.items == [Photo(id: "1", stars: 5)] && list.asOf == EventSequence(7))
        #expect(try await client.fetch(request, normalize: entities).normalized == .entities(2))
        await #expect {
            try await client.fetch(request, normalize: HTTPEntities(resourceType: "photo", pointer: "photos"))
        } throws: { ($0 as? CacheError)?.code == .invalidParams }
        await client.close()
        try await fixture.close()
    }

    @Test func `a program observes an answer until it drops the changes`() async throws {
        let fixture = try await HTTPFixture()
        fixture.server.answers(200, [("ETag", "\"1\"")], "old")
        let client = CachingHTTPClient(cache: HTTPResponseCache(fixture.cache), transport: fixture.server)
        let request = HTTPRequest(method: .get, scheme: "http", authority: "a.test", path: "/x")
        _ = try await client.fetch(request)
        fixture.server.fails(.offline)
        let observed = try await client.observe(request, policy: [.etag, .loadIfOffline])
        #expect(observed.response.wasLoadedFromCache && observed.response.isStale)
        while fixture.clock.sleeperCount == 0 { await Task.yield() }
        fixture.server.answers(200, [("ETag", "\"2\"")], "new")
        fixture.pass(1)
        for await changed in observed.changes {
            #expect(changed.body == Array("new".utf8) && !changed.isStale)
            break
        }
        await client.close()
        try await fixture.close()
    }

    @Test func `a program lists stored answers a page at a time`() async throws {
        let fixture = try await HTTPFixture()
        fixture.server.answers(200, [("ETag", "\"1\""), ("Cache-Control", "max-age=60")], "body")
        let answers = HTTPResponseCache(fixture.cache)
        for path in ["a", "b", "c"] { _ = try await fixture.fetch("http://a.test/\(path)") }
        fixture.pass(20)
        let first = try await answers.list(countMax: 2)
        #expect(first.map(\.key) == ["GET http://a.test/a", "GET http://a.test/b"])
        #expect(first.map(\.age) == [.seconds(20), .seconds(20)] && first[0].freshnessLeft == .seconds(40))
        #expect(first[0].byteCount == 4 && first[0].tag == "\"1\"" && first[0].status == 200)
        #expect(try await answers.list(after: first.last).map(\.url) == ["http://a.test/c"])
        #expect(try await answers.list(prefix: "http://b").isEmpty)
        try await fixture.close()
    }
}
