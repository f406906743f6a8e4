import TestTraits
import Testing
import Tidemark
import TidemarkGraphQLLanguage
import TidemarkModel
import TidemarkTesting

/// Observers that asked to be refreshed, with a clock that the test drives.
@Suite(.pooled) struct RefreshTests {
    private static let policy = """
        type file @cacheControl(maxAge: 10) { n: Int  slow: Int @cacheControl(maxAge: 1000) }
        type zero @cacheControl(maxAge: 0) { n: Int }
        """

    private func open(hasUpstream: Bool = true) async throws -> QueryFixture {
        let policy = try CachePolicy(graphQL: RefreshTests.policy)
        return try await QueryFixture.open(hasUpstream: hasUpstream) { $0.policy = policy }
    }

    /// A sink that records every notification in words.
    private final class Words: ObserverSink {
        private let told = ManagedWords()

        func offer(_ notification: CacheNotification) -> Bool {
            guard told.hasRoom else { return false }
            deliver(notification)
            return true
        }

        func deliver(_ notification: CacheNotification) {
            switch notification {
            case .query(let query):
                told.add("\(query.operations.count) changes\(query.isStale ? ", stale" : "")")
            case .entity(let entity):
                let text = entity.entity.map { String(decoding: $0, as: UTF8.self) } ?? "gone"
                told.add("\(text) \(entity.changedFields)\(entity.isStale.map { $0 ? " stale" : " fresh" } ?? "")")
            case .library, .document, .log: break
            }
        }

        func take() -> [String] { told.take() }
        var all: [String] { told.all }
        func setRoom(_ hasRoom: Bool) { told.setRoom(hasRoom) }
    }

    private func observe(
        _ fixture: QueryFixture, _ words: Words, type: ByteString = "file", id: ByteString = "x",
        fields: [ByteString]? = nil, ages: [ByteString: Int] = [:], maxStale: Int64? = nil, refreshes: Bool = true
    ) async throws -> SubscriptionID {
        var request = EntityRequest(EntityKey(library: "a", type: type, id: id), fields: fields)
        request.maxAges = ages
        request.maxStale = maxStale.map { .milliseconds($0) }
        request.refreshes = refreshes
        let reply = WatchReply()
        await fixture.cache.observe(request, sink: words) { reply.take($0) }
        return try #require(try reply.subscription())
    }

    private func event(_ sequence: Int, _ resource: String, type: String = "file", merges: Bool = false) -> String {
        EventLine.change(
            resource, type: type, metadata: merges ? "{}" : nil, library: "a", sequence: Int64(sequence))
    }

    /// Moves the clock when the cache sleeps, so that its timer wakes.
    private func advance(_ fixture: QueryFixture, _ milliseconds: Int64) async {
        await settle(fixture)
        _ = await eventually { fixture.clock.sleeperCount > 0 }
        fixture.clock.advance(milliseconds: milliseconds)
    }

    /// Waits until every check that was due has been made; a notification that does not come cannot be waited for.
    private func settle(_ fixture: QueryFixture) async {
        for _ in 0..<200 { await Task.yield() }
        _ = await fixture.cache.statistics()
    }

    @Test func `an entity's observer is notified at its limit, and when a change renews it`() async throws {
        let fixture = try await open()
        try await fixture.input.feed([event(1, #"{"id":"x","n":1}"#)])
        let (words, quiet) = (Words(), Words())
        _ = try await observe(fixture, words)
        _ = try await observe(fixture, quiet, refreshes: false)
        await advance(fixture, 9_999)
        await settle(fixture)
        #expect(words.all == [])
        fixture.clock.advance(milliseconds: 1)
        #expect(await eventually { words.all == [#"{"id":"x","n":1} [] stale"#] })
        try await fixture.input.feed([event(2, #"{"id":"x","n":2}"#)])
        #expect(words.all.last == #"{"id":"x","n":2} [n] fresh"#)
        #expect(quiet.all == [#"{"id":"x","n":2} [n]"#])
        await advance(fixture, 10_000)
        #expect(await eventually { words.all.last == #"{"id":"x","n":2} [] stale"# })
        #expect(words.all.count == 3)
    }

    @Test func `an equal write that renews is notified at the next check, and one before the limit moves it`()
        async throws
    {
        let fixture = try await open()
        try await fixture.input.feed([event(1, #"{"id":"x","n":1}"#)])
        let words = Words()
        _ = try await observe(fixture, words)
        await advance(fixture, 5_000)
        try await fixture.input.feed([event(2, #"{"id":"x","n":1}"#)])
        await advance(fixture, 5_000)
        await advance(fixture, 4_999)
        await settle(fixture)
        #expect(words.all == [])
        await advance(fixture, 1)
        #expect(await eventually { words.all == [#"{"id":"x","n":1} [] stale"#] })
        try await fixture.input.feed([event(3, #"{"id":"x","n":1}"#)])
        #expect(words.all.count == 1)
        await advance(fixture, 1_000)
        #expect(await eventually { words.all.last == #"{"id":"x","n":1} [] fresh"# })
    }

    @Test func `a field with a nearer limit moves the moment of the check, and only selected fields count`()
        async throws
    {
        let fixture = try await open()
        try await fixture.input.feed([event(1, #"{"id":"x","n":1,"slow":1}"#)])
        let (slow, own) = (Words(), Words())
        _ = try await observe(fixture, slow, fields: ["slow"])
        _ = try await observe(fixture, own, fields: ["id", "slow"], ages: ["file": 5_000, "file.slow": 3])
        await advance(fixture, 3_000)
        #expect(await eventually { own.all.count == 1 })
        await advance(fixture, 990_000)
        await settle(fixture)
        #expect(slow.all == [])
        await advance(fixture, 7_000)
        #expect(await eventually { slow.all == [#"{"slow":1} [] stale"#] })
    }

    @Test func `an entity that is always too old is checked rarely`() async throws {
        let fixture = try await open()
        try await fixture.input.feed([event(1, #"{"id":"x","n":1}"#, type: "zero")])
        let words = Words()
        _ = try await observe(fixture, words, type: "zero", maxStale: 1 << 40)
        for _ in 0..<20 { await advance(fixture, 1_000); await settle(fixture) }
        // The staleness was in the first answer.
        #expect(words.all == [])
        #expect(fixture.clock.sleeperCount <= 2)
    }

    @Test func `a slow observer is notified of staleness once there is room, with the changes`() async throws {
        let fixture = try await open()
        try await fixture.input.feed([event(1, #"{"id":"x","n":1}"#)])
        let words = Words()
        _ = try await observe(fixture, words)
        words.setRoom(false)
        await advance(fixture, 10_000)
        await settle(fixture)
        words.setRoom(true)
        await fixture.cache.resume(words)
        #expect(words.take() == [#"{"id":"x","n":1} [] stale"#])
        words.setRoom(false)
        try await fixture.input.feed([event(2, #"{"id":"x","n":2}"#)])
        words.setRoom(true)
        await fixture.cache.resume(words)
        #expect(words.take() == [#"{"id":"x","n":2} [n] fresh"#])
    }

    // MARK: Lists

    private func observeList(
        _ fixture: QueryFixture, _ words: Words, _ configure: (inout QueryRequest) -> Void = { _ in }
    ) async throws -> SubscriptionID {
        var request = QueryRequest(try QueryFixture.key("{}"), policy: .cacheOnly)
        request.refreshes = true
        configure(&request)
        let reply = Reply()
        await fixture.cache.read(request, observing: words, reply: { reply.take($0, nil) })
        return try #require(reply.subscription)
    }

    @Test func `a list is fetched once for all when its first field is too old, and no one sees it stale`() async throws
    {
        let fixture = try await open()
        try await fixture.put([#"{"id":"x","n":1}"#, #"{"id":"y","n":1}"#])
        let (first, second) = (Words(), Words())
        _ = try await observeList(fixture, first)
        _ = try await observeList(fixture, second)
        await advance(fixture, 10_000)
        await fixture.upstream.waitForQuestions(1)
        await fixture.upstream.answer(.success(QueryFixture.result([#"{"id":"x","n":2}"#, #"{"id":"y","n":1}"#])))
        #expect(await eventually { first.all == ["1 changes"] && second.all == ["1 changes"] })
        await settle(fixture)
        #expect(await fixture.upstream.asked.count == 1)
        await advance(fixture, 9_999)
        await settle(fixture)
        #expect(await fixture.upstream.asked.count == 1)
        await advance(fixture, 1)
        await fixture.upstream.waitForQuestions(2)
    }

    @Test func `a failed fetch notifies staleness once, and is repeated after doubling pauses`() async throws {
        let fixture = try await open()
        try await fixture.put([#"{"id":"x","n":1}"#])
        let words = Words()
        _ = try await observeList(fixture, words)
        await advance(fixture, 10_000)
        var asked = 0
        for pause in [Int64(1_000), 2_000, 4_000, 8_000] {
            asked += 1
            await fixture.upstream.waitForQuestions(asked)
            await fixture.upstream.answer(.failure(UpstreamError("no")))
            #expect(await eventually { words.all == ["0 changes, stale"] })
            await settle(fixture)
            await advance(fixture, pause - 1)
            await settle(fixture)
            #expect(await fixture.upstream.asked.count == asked)
            await advance(fixture, 1)
        }
        await fixture.upstream.waitForQuestions(5)
        await fixture.upstream.answer(.success(QueryFixture.result([#"{"id":"x","n":1}"#])))
        #expect(await eventually { words.all == ["0 changes, stale", "0 changes"] })
    }

    @Test func `a list that is too old as soon as it is fetched is not asked for without a pause`() async throws {
        let fixture = try await open()
        try await fixture.put([#"{"id":"x","n":1}"#])
        let words = Words()
        _ = try await observeList(fixture, words) {
            $0.maxAges = ["file": 0]
            $0.allowsStale = true
        }
        var asked = 0
        for pause in [Int64(1_000), 2_000, 4_000] {
            asked += 1
            await fixture.upstream.waitForQuestions(asked)
            await fixture.upstream.answer(.success(QueryFixture.result([#"{"id":"x","n":1}"#])))
            await settle(fixture)
            await advance(fixture, pause - 1)
            await settle(fixture)
            #expect(await fixture.upstream.asked.count == asked)
            await advance(fixture, 1)
        }
        await fixture.upstream.waitForQuestions(4)
        #expect(words.all == ["0 changes"])
    }

    @Test func `a list without an upstream goes stale at a field's limit, and at its own`()
        async throws
    {
        let fixture = try await open(hasUpstream: false)
        try await fixture.put([#"{"id":"x","n":1,"slow":1}"#])
        let (all, slow) = (Words(), Words())
        _ = try await observeList(fixture, all)
        _ = try await observeList(fixture, slow) { $0.select = ["file": ["slow"]] }
        await advance(fixture, 10_000)
        #expect(await eventually { all.all == ["0 changes, stale"] })
        try await fixture.put([#"{"id":"x","n":2,"slow":1}"#])
        #expect(all.all == ["0 changes, stale", "1 changes"])
        #expect(slow.all == [])
    }

    @Test func `a cancelled observer gets no notification, and its timers end`() async throws {
        let fixture = try await open(hasUpstream: false)
        try await fixture.input.feed([event(1, #"{"id":"x","n":1}"#)])
        let words = Words()
        let subscription = try await observe(fixture, words)
        try await fixture.cache.cancel(subscription)
        fixture.clock.advance(milliseconds: 20_000)
        await settle(fixture)
        #expect(words.all == [])
        try await fixture.cache.close()
    }
}
