import Synchronization
import TestTraits
import Testing
import Tidemark
import TidemarkHTTP
import TidemarkHTTPRecords
import TidemarkHTTPRules
import TidemarkModel
import TidemarkStore
import TidemarkTestKit
import TidemarkTesting

/// Law L12 for HTTP: no answer undoes what was known when it was asked for, nor what happened since.
@Suite(.pooled) struct HTTPMeanwhileTests {
    private static let fresh = [("Cache-Control", "max-age=60")]

    /// An event while an answer is on its way.
    enum Happening: CaseIterable, Sendable {
        case unsafeMethod, invalidation, libraryInvalidation, switchedOff
    }

    private func happen(_ happening: Happening, _ fixture: HTTPFixture, _ server: HeldServer) async throws {
        let client = fixture.client
        switch happening {
        case .unsafeMethod:
            let post = try fixture.request(method: "POST", body: "new")
            async let answer = client.fetch(post)
            await server.waitUntilAsked("POST", 1)
            server.answer("POST", 0, "done")
            _ = try await answer
        case .invalidation: _ = try await client.invalidate(HTTPSelection(library: "", url: "http://a.test/x"))
        case .libraryInvalidation:
            _ = try await HTTPResponseCache(fixture.cache).invalidate()
        case .switchedOff:
            let aside = try fixture.request(storage: .disabled)
            async let answer = client.fetch(aside)
            await server.waitUntilAsked("GET", 2)
            server.answer("GET", 1, "aside")
            _ = try await answer
        }
    }

    @Test(arguments: Happening.allCases)
    func `an answer that was asked for before is given and not stored, and nobody joins its question`(
        happening: Happening
    ) async throws {
        let server = HeldServer()
        let fixture = try await HTTPFixture(transport: server)
        let client = fixture.client
        let request = try fixture.request("http://a.test/x", .standard)
        async let first = client.fetch(request)
        await server.waitUntilAsked("GET", 1)
        try await happen(happening, fixture, server)
        let asked = server.count("GET")
        async let second = client.fetch(request)
        await server.waitUntilAsked("GET", asked + 1)
        server.answer("GET", 0, "old", Self.fresh)
        let old = try await first
        #expect(old.text == "old" && !old.isStored && !old.status.isStored)
        server.answer("GET", asked, "new", Self.fresh)
        let new = try await second
        #expect(new.text == "new" && new.isStored && !new.status.isCollapsed)
        let hit = try await fixture.fetch("http://a.test/x", .standard)
        #expect(hit.text == "new" && hit.isFromCache && server.count("GET") == asked + 1)
        try await fixture.close()
    }

    @Test func `the answer to an older question does not replace that to a later one`() async throws {
        let server = HeldServer()
        let fixture = try await HTTPFixture(transport: server)
        let client = fixture.client
        let slow = try fixture.request("http://a.test/x", .standard)
        let reload = try fixture.request("http://a.test/x", .standard, fields: [("Cache-Control", "no-cache")])
        async let first = client.fetch(slow)
        await server.waitUntilAsked("GET", 1)
        async let second = client.fetch(reload)
        await server.waitUntilAsked("GET", 2)
        server.answer("GET", 1, "new", Self.fresh)
        _ = try await second
        server.answer("GET", 0, "old", Self.fresh)
        #expect(try await first.text == "old")
        let hit = try await fixture.fetch("http://a.test/x", .standard)
        #expect(hit.text == "new" && hit.isFromCache)
        try await fixture.close()
    }

    @Test func `the answer to a later question removes that to an older one, also where it is not stored`() async throws
    {
        let server = HeldServer()
        let fixture = try await HTTPFixture(transport: server)
        let client = fixture.client
        let slow = try fixture.request("http://a.test/x", .standard)
        let reload = try fixture.request("http://a.test/x", .standard, fields: [("Cache-Control", "no-cache")])
        async let first = client.fetch(slow)
        await server.waitUntilAsked("GET", 1)
        async let second = client.fetch(reload)
        await server.waitUntilAsked("GET", 2)
        server.answer("GET", 0, "old", Self.fresh)
        #expect(try await first.isStored)
        server.answer("GET", 1, "gone", [("Cache-Control", "no-store")], status: 404)
        _ = try await second
        #expect(try await fixture.client.list(HTTPSelection(), after: nil, countMax: 9).entries.isEmpty)
        try await fixture.close()
    }

    @Test func `answers to other requests of the URL are stored, whatever comes first`() async throws {
        let server = HeldServer()
        let fixture = try await HTTPFixture(transport: server)
        let client = fixture.client
        let fields = Self.fresh + [("Vary", "Accept-Language")]
        let requests = try ["de", "en"].map {
            try fixture.request("http://a.test/x", .standard, fields: [("Accept-Language", $0)])
        }
        async let german = client.fetch(requests[0])
        await server.waitUntilAsked("GET", 1)
        async let english = client.fetch(requests[1])
        await server.waitUntilAsked("GET", 2)
        server.answer("GET", 1, "en", fields)
        #expect(try await english.isStored)
        server.answer("GET", 0, "de", fields)
        #expect(try await german.isStored)
        try await fixture.close()
    }

    @Test func `a confirmation of an answer that was removed on its way asks again`() async throws {
        let server = HeldServer()
        let fixture = try await HTTPFixture(transport: server)
        let client = fixture.client
        let request = try fixture.request()
        async let stored = client.fetch(request)
        await server.waitUntilAsked("GET", 1)
        server.answer("GET", 0, "old", [("ETag", "\"1\"")])
        _ = try await stored
        async let confirmed = client.fetch(request)
        await server.waitUntilAsked("GET", 2)
        _ = try await client.invalidate(HTTPSelection(library: ""))
        server.answer("GET", 1, "", [("ETag", "\"1\"")], status: 304)
        await server.waitUntilAsked("GET", 3)
        server.answer("GET", 2, "new", [("ETag", "\"2\"")])
        let answer = try await confirmed
        #expect(answer.text == "new" && answer.isStored)
        #expect(server.asked("GET").map { $0.fields.contains("if-none-match") } == [false, true, false])
        try await fixture.close()
    }

    /// Somebody logs out while a list is on its way.
    @Test func `a clear leaves nothing of an answer that was asked for before, entities included`() async throws {
        let server = HeldServer()
        let fixture = try await HTTPFixture(transport: server)
        let client = fixture.client
        let spec = #"{"resource_type":"file","method":"all"}"#
        let request = try fixture.request(normalize: spec)
        async let first = client.fetch(request)
        await server.waitUntilAsked("GET", 1)
        // As cache.clear with http: true does.
        client.noteRemoval(HTTPSelection(library: ""))
        try await fixture.cache.clear(library: "")
        _ = try await client.invalidate(HTTPSelection(library: ""))
        server.answer("GET", 0, #"[{"id":"f1"}]"#, Self.fresh)
        let answer = try await first
        #expect(answer.text == #"[{"id":"f1"}]"# && !answer.isStored)
        guard case .error = answer.normalized else {
            Issue.record("the entities count as stored: \(String(describing: answer.normalized))")
            return
        }
        #expect(try await fixture.entity("f1").entity == nil)
        #expect(try await client.list(HTTPSelection(), after: nil, countMax: 9).entries.isEmpty)
        async let second = client.fetch(request)
        await server.waitUntilAsked("GET", 2)
        server.answer("GET", 1, #"[{"id":"f2"}]"#, Self.fresh)
        #expect(try await second.normalized == .entities(1))
        #expect(try await fixture.entity("f2").entity != nil)
        try await fixture.close()
    }

    @Test func `a hop that changes something removes its answers, whatever becomes of the next hop`() async throws {
        let fixture = try await HTTPFixture()
        fixture.server.answers(200, Self.fresh, "stored")
        for url in ["http://a.test/a", "http://a.test/b"] { _ = try await fixture.fetch(url, .standard) }
        fixture.server.answers { exchange in
            switch (exchange.method.description, exchange.url.target.description) {
            case ("POST", "/a"): .success(.init(status: 307, fields: [("Location", "/b")]))
            case ("POST", "/b"): .success(.init(status: 303, fields: [("Location", "/c")]))
            default: .failure(ExchangeError(.connectionLost, "as the test says"))
            }
        }
        await #expect(throws: CacheError.self) { try await fixture.fetch("http://a.test/a", method: "POST") }
        #expect(try await fixture.client.list(HTTPSelection(), after: nil, countMax: 9).entries.isEmpty)
        try await fixture.close()
    }

    // MARK: The time of each request

    @Test(arguments: [false, true])
    func `requests that share an exchange have each their own time`(isShortFirst: Bool) async throws {
        let server = HeldServer()
        let timer = ManualClock()
        let fixture = try await HTTPFixture(transport: server, timer: timer)
        let client = fixture.client
        let times: [Int64] = isShortFirst ? [1_000, 20_000] : [20_000, 1_000]
        let requests = try times.map { time in
            var request = try fixture.request()
            request.timeout = .milliseconds(time)
            return request
        }
        let first = Task { try await client.fetch(requests[0]) }
        await server.waitUntilAsked("GET", 1)
        let second = Task { try await client.fetch(requests[1]) }
        while timer.sleeperCount < 2 { await Task.yield() }
        timer.advance(milliseconds: 1_000)
        while timer.sleeperCount > 1 { await Task.yield() }
        server.answer("GET", 0, "body")
        let outcomes = [await first.result, await second.result]
        let long = isShortFirst ? 1 : 0
        #expect(try outcomes[long].get().text == "body")
        #expect { try outcomes[1 - long].get() } throws: { ($0 as? CacheError)?.code == .timedOut }
        #expect(server.count("GET") == 1)
        try await fixture.close()
    }

    @Test func `an exchange ends with the time of the last request that waits`() async throws {
        let server = HeldServer()
        let timer = ManualClock()
        let fixture = try await HTTPFixture(transport: server, timer: timer)
        let client = fixture.client
        let request = try fixture.request()
        let first = Task { try await client.fetch(request) }
        await server.waitUntilAsked("GET", 1)
        while timer.sleeperCount == 0 { await Task.yield() }
        timer.advance(milliseconds: 30_000)
        await #expect { try await first.value } throws: { ($0 as? CacheError)?.code == .timedOut }
        while !server.isCancelled("GET", 0) { await Task.yield() }
        #expect(timer.sleeperCount == 0)
        try await fixture.close()
    }

    // MARK: The naive model

    /// A server whose state grows with each POST; a GET gets the state that the server had when it was asked, however
    /// late its answer comes. Law: a GET gets nothing older than the state of the last change or removal that was
    /// answered before it was asked.
    @Test(.tags(.model), arguments: TestScale.seeds(30))
    func `no request gets an older state than was known when it was made`(seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        let server = HeldServer()
        let fixture = try await HTTPFixture(transport: server, timer: ManualClock())
        let client = fixture.client
        let post = try fixture.request(method: "POST")
        var version = 0
        var known = 0
        var postCount = 0
        var versions: [Int] = []
        var open: [(task: Task<HTTPFetched, any Error>, floor: Int)] = []
        var unanswered: [Int] = []
        for _ in 0..<60 {
            switch random.below(8) {
            case 0, 1, 2:
                let fields = random.chance(300) ? [("Cache-Control", "no-cache")] : []
                let request = try fixture.request("http://a.test/x", .standard, fields: fields)
                let before = server.count("GET")
                let task = Task { try await client.fetch(request) }
                open.append((task, known))
                // It asks, joins, or is served from the cache; each happens before the next step.
                for _ in 0..<2_000 where server.count("GET") == before { await Task.yield() }
                while versions.count < server.count("GET") {
                    unanswered.append(versions.count)
                    versions.append(version)
                }
            case 3, 4, 5:
                guard !unanswered.isEmpty else { continue }
                let number = unanswered.remove(at: random.below(unanswered.count))
                server.answer("GET", number, "\(versions[number])", Self.fresh)
                for _ in 0..<500 { await Task.yield() }
            case 6:
                version += 1
                postCount += 1
                async let answer = client.fetch(post)
                await server.waitUntilAsked("POST", postCount)
                server.answer("POST", postCount - 1, "")
                _ = try await answer
                known = version
            default:
                version += 1
                _ = try await client.invalidate(HTTPSelection(library: "", prefix: "http://a.test/"))
                known = version
            }
        }
        // Later requests may ask again, so the server answers whatever it is asked until all have their answers.
        let (waiting, states, last) = (unanswered, versions, version)
        let rest = Task {
            var answered = Set(waiting)
            for number in waiting { server.answer("GET", number, "\(states[number])", Self.fresh) }
            while !Task.isCancelled {
                for number in states.count..<max(states.count, server.count("GET")) where !answered.contains(number) {
                    answered.insert(number)
                    server.answer("GET", number, "\(last)", Self.fresh)
                }
                await Task.yield()
            }
        }
        for (task, floor) in open {
            let got = Int(try await task.value.text) ?? -1
            #expect(got >= floor, "seed \(seed): a request got \(got) where \(floor) was known")
        }
        rest.cancel()
        await rest.value
        let questions = try #require(fixture.cache.journal.httpPart.httpLedger).questions
        while questions.count > 0 { await Task.yield() }
        try await fixture.close()
    }
}
