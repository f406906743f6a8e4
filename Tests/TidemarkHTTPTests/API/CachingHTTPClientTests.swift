import HTTPTypes
import Testing
import Tidemark
import TidemarkHTTP
import TidemarkHTTPRules

@Suite(.timeLimit(.minutes(30))) struct CachingHTTPClientTests {
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

    @Test func `the timeout decides only with its number`() async throws {
        let fixture = try await HTTPFixture()
        fixture.server.answers(200, [], "body")
        let client = CachingHTTPClient(cache: HTTPResponseCache(fixture.cache), transport: fixture.server)
        let request = HTTPRequest(method: .get, scheme: "http", authority: "a.test", path: "/x")
        _ = try await client.fetch(request)
        #expect(try await client.fetch(request, policy: .timeout, timeout: .seconds(5)).wasLoadedFromCache)
        #expect(try await !client.fetch(request, policy: .timeout).wasLoadedFromCache)
        await client.close()
        try await fixture.close()
    }
}
