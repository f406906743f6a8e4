import TestTraits
import Testing
import Tidemark
import TidemarkHTTP
import TidemarkHTTPRules
import TidemarkModel
import TidemarkTesting

/// The return of a host that could not be reached, for those who observe its answers.
@Suite(.pooled) struct HTTPReturningTests {
    /// The news of an observer, in the order in which they came.
    private struct Heard: Equatable, Sendable {
        var status: Int
        var text: String
        var isStale: Bool
        var hasCookie: Bool
    }

    private final class Observer {
        let tell: @Sendable (SubscriptionID, HTTPFetched) -> Void
        private var news: AsyncStream<Heard>.Iterator

        init() {
            let (changes, continuation) = AsyncStream.makeStream(of: Heard.self, bufferingPolicy: .bufferingNewest(100))
            news = changes.makeAsyncIterator()
            tell = { _, fetched in
                continuation.yield(
                    Heard(
                        status: fetched.head.status, text: fetched.text, isStale: fetched.isStale,
                        hasCookie: fetched.head.fields.contains("set-cookie")))
            }
        }

        func next() async -> Heard? { await news.next() }
    }

    private func sleeper(_ fixture: HTTPFixture) async {
        while fixture.clock.sleeperCount == 0 { await Task.yield() }
    }

    private func tag(_ tag: String, _ fields: (String, String)...) -> [(String, String)] { [("ETag", tag)] + fields }

    @Test func `another exchange with the origin ends the pause, one of another origin does not`() async throws {
        let fixture = try await HTTPFixture()
        fixture.server.answers(200, tag("\"1\""), "old")
        _ = try await fixture.fetch()
        fixture.server.fails(.offline)
        let observer = Observer()
        let request = try fixture.request("http://a.test/x", .only([.etag, .loadIfOffline]))
        _ = try await fixture.client.observe(request, observer.tell)
        await sleeper(fixture)
        fixture.server.answers(200, tag("\"2\""), "new")
        let asked = fixture.server.asked.count
        _ = try await fixture.fetch("http://b.test/y")
        _ = try await fixture.fetch("http://a.test/y")
        #expect(await observer.next() == Heard(status: 200, text: "new", isStale: false, hasCookie: false))
        let urls = fixture.server.asked.dropFirst(asked).map(\.url.text)
        #expect(urls == ["http://b.test/y", "http://a.test/y", "http://a.test/x"])
        try await fixture.close()
    }

    @Test func `an observer that got the server's answer hears again after another request fell back`() async throws {
        let fixture = try await HTTPFixture()
        fixture.server.answers(200, tag("\"1\""), "old")
        let observer = Observer()
        let rules = CacheRules.only([.etag, .loadIfOffline])
        let (first, _) = try await fixture.client.observe(try fixture.request("http://a.test/x", rules), observer.tell)
        #expect(!first.status.isFallback)
        fixture.server.fails(.offline)
        #expect(try await fixture.fetch("http://a.test/x", rules).status.isFallback)
        await sleeper(fixture)
        fixture.server.answers(200, tag("\"2\"", ("Set-Cookie", "a")), "new")
        fixture.pass(1)
        #expect(await observer.next() == Heard(status: 200, text: "new", isStale: false, hasCookie: false))
        try await fixture.close()
    }

    @Test func `the same answer is news to those who got it without the server's word`() async throws {
        let fixture = try await HTTPFixture()
        let fields = tag("\"1\"", ("Cache-Control", "max-age=600"))
        fixture.server.answers(200, fields, "same")
        _ = try await fixture.fetch()
        fixture.server.fails(.offline)
        let observer = Observer()
        let request = try fixture.request("http://a.test/x", .only([.etag, .loadIfOffline]))
        let (first, _) = try await fixture.client.observe(request, observer.tell)
        #expect(first.status.isFallback && !first.isStale)
        await sleeper(fixture)
        fixture.server.answers(200, fields, "same")
        fixture.pass(1)
        #expect(await observer.next() == Heard(status: 200, text: "same", isStale: false, hasCookie: false))
        try await fixture.close()
    }

    @Test func `an observer whose output ends before its first response is never added`() async throws {
        let server = HeldServer()
        let fixture = try await HTTPFixture(transport: server)
        let client = fixture.client
        let ended = Observer()
        let request = try fixture.request("http://a.test/x")
        let observing = Task { try await client.observe(request, owner: ObjectIdentifier(server), ended.tell) }
        await server.waitUntilAsked("GET", 1)
        await client.cancelAll(of: ObjectIdentifier(server))
        server.answer("GET", 0, "old")
        let (first, subscription) = try await observing.value
        #expect(first.body == Array("old".utf8))
        #expect(await client.cancel(subscription) == false, "nobody observes under this number")
        try await fixture.close()
    }

    @Test func `a host that answers with an error is asked again, after a pause twice as long`() async throws {
        let fixture = try await HTTPFixture()
        fixture.server.answers(200, tag("\"1\""), "old")
        _ = try await fixture.fetch()
        fixture.server.answers(503)
        let observer = Observer()
        let request = try fixture.request("http://a.test/x", .only([.etag, .staleIfError]))
        let (first, _) = try await fixture.client.observe(request, observer.tell)
        #expect(first.text == "old" && first.status.isFallback)
        for pause in [1, 2, 4] as [Int64] {
            await sleeper(fixture)
            let asked = fixture.server.asked.count
            fixture.clock.advance(milliseconds: pause * 1_000 - 1)
            #expect(fixture.server.asked.count == asked && fixture.clock.sleeperCount == 1)
            if pause == 4 { fixture.server.answers(410) }
            fixture.clock.advance(milliseconds: 1)
            await fixture.server.waitUntilAsked(asked + 1)
        }
        #expect(await observer.next() == Heard(status: 410, text: "", isStale: false, hasCookie: false))
        try await fixture.close()
    }

    @Test func `an observer hears that the answer is gone`() async throws {
        let fixture = try await HTTPFixture()
        fixture.server.answers(200, tag("\"1\""), "old")
        let observer = Observer()
        _ = try await fixture.client.observe(try fixture.request(), observer.tell)
        fixture.server.answers(404, [], "nothing")
        _ = try await fixture.fetch()
        #expect(await observer.next() == Heard(status: 404, text: "nothing", isStale: false, hasCookie: false))
        try await fixture.close()
    }

    @Test func `nobody is asked for a request that forbids it, and none after the last observer`() async throws {
        let fixture = try await HTTPFixture()
        let observer = Observer()
        let onlyIfCached = try fixture.request(
            "http://a.test/x", .standard, fields: [("Cache-Control", "only-if-cached")])
        let (first, _) = try await fixture.client.observe(onlyIfCached, observer.tell)
        #expect(first.head.status == 504 && fixture.clock.sleeperCount == 0)
        fixture.server.answers(200, tag("\"1\""), "old")
        _ = try await fixture.fetch()
        fixture.server.fails(.offline)
        let request = try fixture.request("http://a.test/x", .only([.etag, .loadIfOffline]))
        let (_, subscription) = try await fixture.client.observe(request, observer.tell)
        await sleeper(fixture)
        let asked = fixture.server.asked.count
        #expect(await fixture.client.cancel(subscription))
        // The pause that is under way ends with a look whether anybody observes.
        fixture.pass(1)
        while await fixture.client.returningCount > 0 { await Task.yield() }
        #expect(fixture.server.asked.count == asked)
        try await fixture.close()
    }
}
