import TestTraits
import Testing
import Tidemark
import TidemarkHTTP
import TidemarkHTTPRecords
import TidemarkHTTPRules
import TidemarkModel
import TidemarkStore
import TidemarkTesting

/// Redirects and validators, confirmations that change what may be stored, bodies that are too long, and clocks.
@Suite(.pooled) struct HTTPAnswerRulesTests {
    @Test func `validators go to the URL alone that gave the stored answer`() async throws {
        let fixture = try await HTTPFixture()
        let days = ["Tue, 06 Jan 2026 00:00:00 GMT", "Mon, 05 Jan 2026 00:00:00 GMT"]
        func latest(_ number: Int) {
            fixture.server.answers { exchange in
                switch exchange.url.target {
                case "/latest": return .success(.init(status: 302, fields: [("Location", "/f\(number)")]))
                default:
                    // A server that compares dates: what is not newer is not sent.
                    if exchange.fields.contains("if-modified-since") || exchange.fields.contains("if-none-match") {
                        return .success(.init(status: 304))
                    }
                    return .success(
                        .init(
                            fields: [("Last-Modified", days[number - 1]), ("ETag", "\"same\"")], body: "f\(number)"))
                }
            }
        }
        latest(1)
        #expect(try await fixture.fetch("http://a.test/latest").text == "f1")
        latest(2)
        let second = try await fixture.fetch("http://a.test/latest")
        #expect(second.text == "f2" && !second.isFromCache && second.url.text == "http://a.test/f2")
        // Nobody but f2 is asked with its validators, and it confirms them.
        let third = try await fixture.fetch("http://a.test/latest")
        #expect(third.text == "f2" && third.isRevalidated && third.url.text == "http://a.test/f2")
        let conditional = fixture.server.asked.filter { $0.fields.contains("if-none-match") }
        #expect(conditional.map(\.url.text) == ["http://a.test/f2"])
        let hit = try await fixture.fetch("http://a.test/latest", .only(.enabled))
        #expect(hit.isFromCache && hit.url.text == "http://a.test/f2")
        try await fixture.reopen()
        #expect(try await fixture.fetch("http://a.test/latest", .only(.enabled)).url.text == "http://a.test/f2")
        try await fixture.close()
    }

    @Test func `validators of a caller do not follow a redirect, conditions of a change do`() async throws {
        let fixture = try await HTTPFixture()
        fixture.server.answers { exchange in
            exchange.url.host == "a.test"
                ? .success(.init(status: 307, fields: [("Location", "http://b.test/y")])) : .success(.init(body: "b"))
        }
        for rules in [CacheRules.standard, .only(.etag)] {
            let answer = try await fixture.fetch(
                "http://a.test/x", rules, fields: [("If-None-Match", "\"1\""), ("If-Modified-Since", "x")])
            #expect(answer.text == "b" && answer.head.status == 200)
        }
        let there = fixture.server.asked.filter { $0.url.host == "b.test" }
        #expect(there.count == 2 && there.allSatisfy { !$0.fields.contains("if-none-match") })
        _ = try await fixture.fetch("http://a.test/x", method: "PUT", fields: [("If-Match", "\"1\"")])
        #expect(fixture.server.asked.last?.fields.first("if-match") == "\"1\"")
        try await fixture.close()
    }

    @Test func `a 304 that brings Vary decides which later requests the answer is for`() async throws {
        let fixture = try await HTTPFixture()
        fixture.server.answers(200, [("Cache-Control", "max-age=0"), ("ETag", "\"1\"")], "en")
        _ = try await fixture.fetch("http://a.test/x", .standard, fields: [("Accept-Language", "en")])
        fixture.server.answers(
            200, [("Cache-Control", "max-age=60"), ("ETag", "\"1\""), ("Vary", "Accept-Language")], "en")
        let confirmed = try await fixture.fetch("http://a.test/x", .standard, fields: [("Accept-Language", "en")])
        #expect(confirmed.isRevalidated)
        fixture.server.answers(200, [("Vary", "Accept-Language")], "de")
        let german = try await fixture.fetch("http://a.test/x", .standard, fields: [("Accept-Language", "de")])
        #expect(german.text == "de" && !german.isFromCache)
        let english = try await fixture.fetch("http://a.test/x", .standard, fields: [("Accept-Language", "en")])
        #expect(english.text == "en" && english.isFromCache && !english.isRevalidated)
        try await fixture.close()
    }

    @Test(arguments: [("Vary", "*"), ("Cache-Control", "no-store")])
    func `a 304 that forbids storing is served once, and then nothing is stored`(
        field: (String, String)
    ) async throws {
        let fixture = try await HTTPFixture()
        fixture.server.answers(200, [("ETag", "\"1\"")], "body")
        _ = try await fixture.fetch()
        fixture.server.answers(200, [("ETag", "\"1\""), field], "body")
        let served = try await fixture.fetch()
        #expect(served.text == "body" && served.isRevalidated && !served.isStored)
        #expect(try await fixture.client.list(HTTPSelection(), after: nil, countMax: 9).entries.isEmpty)
        try await fixture.close()
    }

    @Test(arguments: [CacheRules.standard, .only(.etag)])
    func `an answer that is too long to be stored removes the one that it replaces`(rules: CacheRules) async throws {
        let fixture = try await HTTPFixture()
        var defaults = HTTPClientDefaults()
        defaults.bodyByteCountMax = 64 << 10
        let client = HTTPClient(fixture.cache, transport: fixture.server, defaults: defaults)
        for byteCountMax in [11 << 20, 70_000] {
            var request = try fixture.request("http://a.test/x", rules)
            request.answerByteCountMax = byteCountMax
            fixture.server.answers(200, [("Cache-Control", "max-age=0")], "small")
            #expect(try await client.fetch(request).isStored)
            fixture.server.answers(200, [("Cache-Control", "max-age=0")], String(repeating: "x", count: 100_000))
            do throws(CacheError) {
                let long = try await client.fetch(request)
                #expect(!long.isStored && long.body.count == 100_000)
            } catch {
                #expect(error.code == .limitExceeded)
            }
            #expect(try await client.list(HTTPSelection(), after: nil, countMax: 9).entries.isEmpty)
        }
        await client.close()
        try await fixture.close()
    }

    @Test func `a request with max-age=0 is asked within the second of storing too`() async throws {
        let fixture = try await HTTPFixture()
        fixture.server.answers(200, [("Cache-Control", "max-age=60")], "x")
        _ = try await fixture.fetch("http://a.test/x", .standard)
        for (value, milliseconds, isAsked) in [
            ("max-age=0", 1, true), ("max-age=0", 999, true), ("max-age=1", 999, false), ("max-age=1", 1_001, true),
            ("min-fresh=60", 1, true), ("min-fresh=59", 1_000, false),
        ] as [(String, Int64, Bool)] {
            _ = try await fixture.fetch("http://a.test/x", .standard, fields: [("Cache-Control", "no-cache")])
            fixture.clock.advance(milliseconds: milliseconds)
            let answer = try await fixture.fetch("http://a.test/x", .standard, fields: [("Cache-Control", value)])
            #expect(answer.isFromCache != isAsked, "\(value) after \(milliseconds) ms")
        }
        try await fixture.close()
    }

    @Test func `an answer from after a clock that was set back is not fresh, in no run and at no time`() async throws {
        let fixture = try await HTTPFixture()
        fixture.server.answers(200, [("Cache-Control", "max-age=60, stale-while-revalidate=999999999")], "old")
        _ = try await fixture.fetch("http://a.test/x", .standard)
        fixture.clock.advance(milliseconds: 1_000)
        fixture.server.answers(200, [("Cache-Control", "max-age=60")], "new")
        for run in 0..<3 {
            fixture.clock.advance(milliseconds: -600_000)
            try await fixture.reopen()
            // The forward clock passes the time of the answer while the program runs; that says nothing of its age.
            fixture.clock.advance(milliseconds: 5_000)
            for url in ["http://a.test/x", "http://a.test/y"] {
                let answer = try await fixture.fetch(url, .standard)
                #expect(answer.text == "new" && !answer.isFromCache, "run \(run)")
                let hit = try await fixture.fetch(url, .standard)
                #expect(hit.isFromCache && !hit.isStale, "what this run asked for is as fresh as it says")
                #expect(try await fixture.fetch(url, .only(.timeout, timeout: 60)).isFromCache)
            }
        }
        try await fixture.close()
    }
}
