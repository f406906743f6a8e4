import Foundation
import TestTraits
import Testing
import Tidemark
import TidemarkHTTP
import TidemarkHTTPRecords
import TidemarkHTTPRules
import TidemarkModel
import TidemarkSQLite
import TidemarkStore
import TidemarkTesting

@Suite(.pooled) struct HTTPClientTests {
    @Test func `a 304 serves the stored answer, as new as if it had just come`() async throws {
        let fixture = try await HTTPFixture()
        fixture.server.answers(200, [("ETag", "\"1\""), ("X", "a"), ("X", "b")], "body")
        let first = try await fixture.fetch()
        #expect(first.text == "body" && !first.isFromCache && first.isStored)
        fixture.pass(100)
        let second = try await fixture.fetch()
        #expect(second.text == "body" && second.isFromCache && second.isRevalidated && second.age == 0)
        #expect(second.head.status == 200 && second.head.fields.values("x") == ["a", "b"])
        #expect(second.status.text == "tidemark; fwd=stale; fwd-status=304")
        fixture.pass(5)
        let third = try await fixture.fetch("http://a.test/x", .only(.timeout, timeout: 5))
        #expect(third.age == 5 && third.isFromCache && fixture.server.asked.count == 2)
        try await fixture.close()
    }

    @Test(arguments: [(CacheOptions.loadIfOffline, ExchangeCode.offline), (.loadOnError, .timedOut)])
    func `a failure serves the stored answer where the policy says so`(
        option: CacheOptions, code: ExchangeCode
    ) async throws {
        let fixture = try await HTTPFixture()
        fixture.server.fails(code)
        await #expect(throws: CacheError.self) { try await fixture.fetch("http://a.test/x", .only(option)) }
        fixture.server.answers(200, [("Cache-Control", "max-age=1, must-revalidate")], "seen")
        _ = try await fixture.fetch("http://a.test/x", .only(option))
        fixture.server.fails(code)
        fixture.pass(60)
        let served = try await fixture.fetch("http://a.test/x", .only(option))
        #expect(served.text == "seen" && served.isStale && served.age == 60)
        #expect(served.status.text == "tidemark; fwd=stale; detail=\(code.rawValue)")
        await #expect(throws: CacheError.self) { try await fixture.fetch() }
        await #expect(throws: CacheError.self) { try await fixture.fetch("http://a.test/x", .standard) }
        try await fixture.close()
    }

    @Test func `two users never see each other's answers`() async throws {
        let fixture = try await HTTPFixture()
        for user in ["one", "two"] {
            fixture.server.answers(200, [("Cache-Control", "max-age=60")], user)
            _ = try await fixture.fetch(fields: [("Authorization", user)])
        }
        for user in ["one", "two"] {
            let served = try await fixture.fetch(
                "http://a.test/x", .standard, fields: [("Authorization", user)])
            #expect(served.text == user && served.isFromCache)
        }
        fixture.server.answers(200, [], "nobody")
        #expect(try await fixture.fetch("http://a.test/x", .only(.enabled)).text == "nobody")
        try await fixture.close()
    }

    @Test func `Vary selects among answers`() async throws {
        let fixture = try await HTTPFixture()
        for language in ["de", "en"] {
            fixture.server.answers(200, [("Vary", "Accept-Language"), ("Cache-Control", "max-age=60")], language)
            _ = try await fixture.fetch("http://a.test/x", .standard, fields: [("Accept-Language", language)])
        }
        fixture.server.fails(.offline)
        for language in ["de", "en"] {
            let served = try await fixture.fetch("http://a.test/x", .standard, fields: [("accept-language", language)])
            #expect(served.text == language)
        }
        await #expect(throws: CacheError.self) {
            try await fixture.fetch("http://a.test/x", .standard, fields: [("Accept-Language", "fr")])
        }
        try await fixture.close()
    }

    /// RFC 9111, section 5.2.2.4.
    @Test func `the fields that no-cache names come only with the server's word`() async throws {
        let fixture = try await HTTPFixture()
        fixture.server.answers(
            200,
            [
                ("Cache-Control", "max-age=60, no-cache=\"x-secret\""), ("X-Secret", "s"), ("X-B", "b"),
                ("ETag", "\"1\""),
            ],
            "x")
        #expect(try await fixture.fetch("http://a.test/x", .standard).head.fields.first("x-secret") == "s")
        let hit = try await fixture.fetch("http://a.test/x", .standard)
        #expect(hit.isFromCache && !hit.head.fields.contains("x-secret") && hit.head.fields.first("x-b") == "b")
        fixture.pass(61)
        let confirmed = try await fixture.fetch("http://a.test/x", .standard)
        #expect(confirmed.isRevalidated && confirmed.head.fields.first("x-secret") == "s")
        #expect(try await !fixture.fetch("http://a.test/x", .only(.enabled)).head.fields.contains("x-secret"))
        try await fixture.close()
    }

    @Test func `cookies that are set are served once`() async throws {
        let fixture = try await HTTPFixture()
        fixture.server.answers(200, [("Set-Cookie", "a=b"), ("ETag", "\"1\"")], "x")
        #expect(try await fixture.fetch().head.fields.contains("set-cookie"))
        #expect(try await !fixture.fetch().head.fields.contains("set-cookie"))
        #expect(try await !fixture.fetch("http://a.test/x", .only(.enabled)).head.fields.contains("set-cookie"))
        try await fixture.close()
    }

    @Test func `a keyed POST leaves the answers to other keys, and removes those to GET`() async throws {
        let fixture = try await HTTPFixture()
        func post(_ key: String?) async throws -> HTTPFetched {
            var request = try fixture.request("http://a.test/x", .only(.enabled), method: "POST", body: "q")
            request.cacheKey = key.map { ByteString($0) }
            return try await fixture.client.fetch(request)
        }
        fixture.server.answers(200, [], "body")
        _ = try await fixture.fetch()
        for key in ["one", "two"] { #expect(try await post(key).isStored) }
        for key in ["one", "two"] { #expect(try await post(key).isFromCache) }
        #expect(try await !fixture.fetch("http://a.test/x", .only(.enabled)).isFromCache)
        // Without a key it is an unsafe request as any.
        _ = try await post(nil)
        for key in ["one", "two"] { #expect(try await !post(key).isFromCache) }
        try await fixture.close()
    }

    @Test func `a keyed POST whose validators are refused is asked without them`() async throws {
        let fixture = try await HTTPFixture()
        fixture.server.answers { exchange in
            if exchange.fields.contains("if-none-match") { return .success(.init(status: 412)) }
            return .success(.init(status: 200, fields: [("ETag", "\"1\"")], body: "body"))
        }
        var request = try fixture.request(method: "POST", body: "q")
        request.cacheKey = "k"
        _ = try await fixture.client.fetch(request)
        let again = try await fixture.client.fetch(request)
        #expect(again.head.status == 200 && again.text == "body" && again.isStored)
        #expect(fixture.server.asked.map { $0.fields.contains("if-none-match") } == [false, true, false])
        try await fixture.close()
    }

    @Test(arguments: [nil, "gzip"] as [String?])
    func `a body that is longer or shorter than its head says is no answer`(coding: String?) async throws {
        let fixture = try await HTTPFixture()
        for length in [4, 6] {
            fixture.server.answers(
                200, [("Content-Length", "\(length)")] + (coding.map { [("Content-Encoding", $0)] } ?? []), "12345")
            await #expect {
                try await fixture.fetch()
            } throws: { ($0 as? CacheError)?.code == .truncated }
        }
        #expect(try await fixture.client.list(HTTPSelection(), after: nil, countMax: 10).entries.isEmpty)
        try await fixture.close()
    }

    @Test func `equal requests under way are one exchange`() async throws {
        let fixture = try await HTTPFixture()
        fixture.server.answers(200, [("Set-Cookie", "a=b")], "x")
        fixture.server.hold()
        let client = fixture.client
        let request = try fixture.request()
        let passing = try fixture.request("http://a.test/x", .only([]))
        async let first = client.fetch(request)
        await fixture.server.waitUntilAsked(1)
        async let second = client.fetch(request)
        async let other = client.fetch(passing)
        await fixture.server.waitUntilAsked(2)
        fixture.server.release()
        let answers = try await [first, second, other]
        #expect(fixture.server.asked.count == 2)
        #expect(answers.map(\.text) == ["x", "x", "x"])
        #expect(answers.filter { $0.head.fields.contains("set-cookie") }.count == 2)
        try await fixture.close()
    }

    @Test func `a stale answer is served at once, and asked about beside`() async throws {
        let fixture = try await HTTPFixture()
        fixture.server.answers(200, [("Cache-Control", "max-age=1, stale-while-revalidate=60")], "old")
        _ = try await fixture.fetch("http://a.test/x", .standard)
        fixture.pass(10)
        fixture.server.answers(200, [("Cache-Control", "max-age=60")], "new")
        let served = try await fixture.fetch("http://a.test/x", .standard)
        #expect(served.text == "old" && served.isStale)
        await fixture.server.waitUntilAsked(2)
        var text = "old"
        while text == "old" { text = try await fixture.fetch("http://a.test/x", .only(.enabled)).text }
        #expect(text == "new" && fixture.server.asked.count == 2)
        try await fixture.close()
    }

    @Test func `parts are combined and serve ranges`() async throws {
        let fixture = try await HTTPFixture()
        let whole = "0123456789"
        fixture.server.answers { exchange in
            guard let range = RequestedRange.list(exchange.fields)?.first, let bounds = range.bounds(in: 10) else {
                return .success(.init(status: 200, fields: [("ETag", "\"r\"")], body: whole))
            }
            let part = Array(whole)[Int(bounds.lowerBound)..<Int(bounds.upperBound)]
            return .success(
                .init(
                    status: 206,
                    fields: [
                        ("ETag", "\"r\""), ("Cache-Control", "max-age=60"),
                        ("Content-Range", ContentRange(bounds: bounds, total: 10).text),
                    ], body: String(part)))
        }
        func get(_ range: String?) async throws -> HTTPFetched {
            try await fixture.fetch("http://a.test/x", .standard, fields: range.map { [("Range", $0)] } ?? [])
        }
        #expect(try await get("bytes=0-4").text == "01234")
        #expect(try await get("bytes=5-9").text == "56789")
        let served = try await get(nil)
        #expect(served.text == whole && served.head.status == 200 && served.isFromCache)
        #expect(try await get("bytes=-3").text == "789")
        #expect(try await get("bytes=20-").head.status == 416)
        let parts = try await get("bytes=0-1,8-9")
        let type = try #require(parts.head.fields.first("content-type")).description
        let boundary = try #require(type.split(separator: "=").last)
        #expect(parts.head.status == 206 && type.hasPrefix("multipart/byteranges; boundary="))
        #expect(parts.text.components(separatedBy: "--\(boundary)").count == 4 && parts.isFromCache)
        #expect(parts.text.contains("Content-Range: bytes 8-9/10\r\n\r\n89\r\n"))
        #expect(parts.head.fields.first("content-length") == ByteString("\(parts.body.count)"))
        #expect(fixture.server.asked.count == 2)
        try await fixture.close()
    }

    @Test func `a part that is shorter than it says is not stored`() async throws {
        let fixture = try await HTTPFixture()
        fixture.server.answers(206, [("Content-Range", "bytes 0-4/10"), ("ETag", "\"r\"")], "012")
        let part = try await fixture.fetch("http://a.test/x", .standard, fields: [("Range", "bytes=0-4")])
        #expect(part.text == "012" && part.head.status == 206 && !part.isStored)
        try await fixture.close()
    }

    @Test func `HEAD is answered by a stored GET, and refreshes it`() async throws {
        let fixture = try await HTTPFixture()
        fixture.server.answers(
            200, [("Cache-Control", "max-age=10"), ("ETag", "\"1\""), ("Content-Length", "4")], "body")
        _ = try await fixture.fetch("http://a.test/x", .standard)
        let head = try await fixture.fetch("http://a.test/x", .standard, method: "HEAD")
        #expect(head.isFromCache && head.text.isEmpty && head.head.fields.first("content-length") == "4")
        fixture.pass(20)
        fixture.server.answers(200, [("Cache-Control", "max-age=50"), ("ETag", "\"1\""), ("Content-Length", "4")])
        _ = try await fixture.fetch("http://a.test/x", .standard, method: "HEAD")
        fixture.pass(20)
        let served = try await fixture.fetch("http://a.test/x", .standard)
        #expect(served.isFromCache && served.text == "body" && fixture.server.asked.count == 2)
        try await fixture.close()
    }

    @Test func `a caller with its own validators gets a 304`() async throws {
        let fixture = try await HTTPFixture()
        fixture.server.answers(200, [("Cache-Control", "max-age=10"), ("ETag", "\"1\"")], "body")
        _ = try await fixture.fetch("http://a.test/x", .standard)
        let known = try await fixture.fetch("http://a.test/x", .standard, fields: [("If-None-Match", "\"1\"")])
        #expect(known.head.status == 304 && known.text.isEmpty)
        let unknown = try await fixture.fetch("http://a.test/x", .standard, fields: [("If-None-Match", "\"2\"")])
        #expect(unknown.head.status == 200 && unknown.text == "body")
        try await fixture.close()
    }

    @Test func `redirects are followed within their rules`() async throws {
        let fixture = try await HTTPFixture()
        fixture.server.answers { exchange in
            switch exchange.url.text.description {
            case "https://a.test/x": .success(.init(status: 302, fields: [("Location", "https://b.test/y")]))
            case "https://b.test/y": .success(.init(status: 302, fields: [("Location", "https://a.test/z")]))
            case "https://a.test/down": .success(.init(status: 302, fields: [("Location", "http://a.test/")]))
            case "https://a.test/loop": .success(.init(status: 302, fields: [("Location", "/loop")]))
            default: .success(.init(status: 200, body: "end"))
            }
        }
        let fetched = try await fixture.fetch(
            "https://a.test/x", .only(.etag), fields: [("Authorization", "secret"), ("Cookie", "c")])
        #expect(fetched.text == "end" && fetched.url.text == "https://a.test/z")
        #expect(fixture.server.asked.map { $0.fields.contains("authorization") } == [true, false, false])
        for url in ["https://a.test/down", "https://a.test/loop"] {
            for rules in [CacheRules.standard, .only(.etag)] {
                await #expect {
                    try await fixture.fetch(url, rules)
                } throws: { ($0 as? CacheError)?.code == .redirectFailed }
            }
        }
        try await fixture.close()
    }

    @Test func `a body of another length than its head says is truncated`() async throws {
        let fixture = try await HTTPFixture()
        fixture.server.answers(200, [("Content-Length", "10")], "short")
        await #expect {
            try await fixture.fetch()
        } throws: { ($0 as? CacheError)?.code == .truncated }
        #expect(try await fixture.client.list(HTTPSelection(), after: nil, countMax: 10).entries.isEmpty)
        try await fixture.close()
    }

    @Test func `an observer hears when the host is reached again, after one question`() async throws {
        let fixture = try await HTTPFixture()
        fixture.server.answers(200, [("ETag", "\"1\"")], "old")
        _ = try await fixture.fetch()
        fixture.server.fails(.offline)
        let (changes, tell) = AsyncStream.makeStream(of: String.self)
        let request = try fixture.request("http://a.test/x", .only([.etag, .loadIfOffline]))
        for _ in 0..<3 {
            let (first, _) = try await fixture.client.observe(request) { _, fetched in tell.yield(fetched.text) }
            #expect(first.text == "old" && first.isStale)
        }
        let asked = fixture.server.asked.count
        fixture.server.answers(200, [("ETag", "\"2\"")], "new")
        while fixture.clock.sleeperCount == 0 { await Task.yield() }
        fixture.pass(1)
        var heard: [String] = []
        for await text in changes {
            heard.append(text)
            if heard.count == 3 { break }
        }
        #expect(heard == ["new", "new", "new"] && fixture.server.asked.count == asked + 1)
        try await fixture.close()
    }
}
