import TestTraits
import Testing
import Tidemark
import TidemarkGraphQLLanguage
import TidemarkModel
import TidemarkStore
import TidemarkTestKit
import TidemarkTesting

/// Fields that are too old for a read, with a clock that the test drives.
@Suite(.pooled) struct AgeTests {
    /// The schema of the example in the proposal.
    private static let songs = """
        type Song @cacheControl(maxAge: 3600) {
          title: String
          description: String @cacheControl(maxAge: 900)
          artist: Artist
        }
        type Artist { name: String  genre: String @cacheControl(maxAge: 60) }
        """

    private func open(
        _ policy: String, _ journal: MemoryJournal = MemoryJournal(), clock: ManualClock = ManualClock()
    ) async throws -> QueryFixture {
        let policy = try CachePolicy.read(Array(policy.utf8))
        return try await QueryFixture.open(journal, clock: clock) { $0.policy = policy }
    }

    private func get(
        _ fixture: QueryFixture, _ id: String = "1", type: ByteString = "Song", fields: [ByteString]? = nil,
        ages: [ByteString: Int] = [:], maxStale: Int64? = nil
    ) async throws -> EntityRead {
        var request = EntityRequest(EntityKey(library: "a", type: type, id: ByteString(id)), fields: fields)
        request.maxAges = ages
        request.maxStale = maxStale.map { .milliseconds($0) }
        return try await fixture.cache.read(request)
    }

    private func event(_ sequence: Int, _ resource: String, type: String = "Song", merges: Bool = false) -> String {
        EventLine.change(
            resource, type: type, metadata: merges ? "{}" : nil, library: "a", sequence: Int64(sequence))
    }

    @Test func `the example of the proposal`() async throws {
        let fixture = try await open(Self.songs)
        try await fixture.input.feed([
            event(1, #"{"id":"1","title":"Sea","description":"d","artist":{"id":"9","name":"n","genre":"g"}}"#),
            event(2, #"{"id":"9","name":"n","genre":"g"}"#, type: "Artist"),
        ])
        let operation: [ByteString: Int] = ["Song.description": 300, "Song.artist": 900]
        func expired(_ field: ByteString, _ ages: [ByteString: Int] = [:]) async throws -> Int? {
            try await get(fixture, fields: [field], ages: ages).expired?.maxAge
        }
        fixture.clock.advance(milliseconds: 59_999)
        #expect(try await get(fixture).miss == nil)
        fixture.clock.advance(milliseconds: 1)
        // In other places a genre inside an artist is too old after a minute; under the operation's artist it is not.
        #expect(try await expired("artist") == 60)
        #expect(try await expired("artist", operation) == nil)
        #expect(try await get(fixture, "9", type: "Artist", fields: ["name"]).miss == nil)
        #expect(try await get(fixture, "9", type: "Artist").miss == .expired)
        fixture.clock.advance(milliseconds: 240_000)
        #expect(try await expired("description", operation) == 300)
        #expect(try await expired("description") == nil)
        fixture.clock.advance(milliseconds: 600_000)
        #expect(try await expired("description") == 900)
        #expect(try await expired("artist", operation) == 900)
        #expect(try await expired("title") == nil)
        fixture.clock.advance(milliseconds: 2_700_000)
        #expect(try await expired("title") == 3_600)
        #expect(try await expired("id") == 3_600)
    }

    @Test func `every write of a field renews its age, an equal one too, and only the fields written`() async throws {
        let fixture = try await open(
            "type Song { title: String @cacheControl(maxAge: 10)  plays: Int @cacheControl(maxAge: 10) }")
        try await fixture.input.feed([event(1, #"{"id":"1","title":"Sea","plays":1}"#)])
        fixture.clock.advance(milliseconds: 6_000)
        try await fixture.input.feed([event(2, #"{"id":"1","plays":1}"#, merges: true)])
        fixture.clock.advance(milliseconds: 4_000)
        let read = try await get(fixture)
        #expect(read.miss == .expired && read.entity == nil)
        #expect(read.expired?.field == "title" && read.expired?.overdue == 0)
        #expect(try await get(fixture, fields: ["plays"]).miss == nil)
        try await fixture.input.feed([event(3, #"{"id":"1","title":"Sea","plays":1}"#)])
        #expect(try await get(fixture).miss == nil)
        try await fixture.cache.close()
    }

    @Test func `a layer dates the fields that it writes, and no others`() async throws {
        let fixture = try await open(
            "type Song { title: String @cacheControl(maxAge: 10)  plays: Int @cacheControl(maxAge: 10) }")
        try await fixture.input.feed([event(1, #"{"id":"1","title":"Sea","plays":1}"#)])
        fixture.clock.advance(milliseconds: 10_000)
        try await fixture.cache.update(
            OptimisticUpdate(
                pendingID: "p", library: "a",
                operations: [.patch(type: "Song", id: "1", fields: Array(#"{"plays":2}"#.utf8), unset: [])]))
        #expect(
            try await get(fixture, fields: ["plays"]).entity.map { String(decoding: $0, as: UTF8.self) }
                == #"{"plays":2}"#)
        #expect(try await get(fixture, fields: ["title"]).miss == .expired)
        try await fixture.cache.rollBack("p")
        #expect(try await get(fixture, fields: ["plays"]).miss == .expired)
    }

    @Test func `an absent field is absent, 0 is always too old, and without a rule nothing is`() async throws {
        let fixture = try await open("type Song { title: String @cacheControl(maxAge: 0)  plays: Int }")
        try await fixture.input.feed([
            event(1, #"{"id":"1","plays":1}"#), event(2, #"{"id":"2","title":"Sea"}"#),
            event(3, #"{"id":"3","title":"Sea"}"#, type: "Other"),
        ])
        fixture.clock.advance(milliseconds: 1 << 40)
        #expect(try await get(fixture, "1").miss == nil)
        #expect(try await get(fixture, "2").miss == .expired)
        #expect(try await get(fixture, "2", fields: ["id"]).miss == nil)
        #expect(try await get(fixture, "3", type: "Other").miss == nil)
        #expect(try await get(fixture, "3", type: "Other", ages: ["Other": 5]).miss == .expired)
    }

    @Test func `a reader that allows stale data gets it marked as stale, up to the bound`() async throws {
        let fixture = try await open("type Song @cacheControl(maxAge: 10) { title: String }")
        try await fixture.input.feed([event(1, #"{"id":"1","title":"Sea"}"#)])
        fixture.clock.advance(milliseconds: 15_000)
        #expect(try await get(fixture, maxStale: 4_999).miss == .expired)
        let read = try await get(fixture, maxStale: 5_000)
        #expect(read.miss == nil && read.isStale && read.entity != nil)
    }

    @Test
    func `a list with a field that is too old is a miss where only the cache is asked, and fetched where it may be`()
        async throws
    {
        let fixture = try await open(
            "type file @cacheControl(maxAge: 10) { n: Int  kept: Int @cacheControl(maxAge: 1000) }")
        try await fixture.put([#"{"id":"x","n":1,"kept":1}"#])
        fixture.clock.advance(milliseconds: 10_000)
        guard case .failure(let error) = try await fixture.read("{}", .cacheOnly) else { return #expect(Bool(false)) }
        #expect(error.code == .cacheMiss)
        #expect(
            error.reasons["cache"]?.contains("n of file:x was written at") == true
                || error.reasons["cache"]?.contains("id of file:x") == true)
        #expect(
            try await fixture.read("{}", .cacheOnly) { $0.select = ["file": ["kept"]] }.get().answer.isStale == false)
        let stale = try await fixture.read("{}", .cacheOnly) { $0.allowsStale = true }.get().answer
        #expect(stale.isStale && stale.entities.count == 1)
        let reply = try await fixture.begin("{}", .cacheFirst)
        #expect(!reply.isThere)
        await fixture.upstream.waitForQuestions(1)
        await fixture.upstream.answer(.success(QueryFixture.result([#"{"id":"x","n":2,"kept":1}"#])))
        #expect(await eventually { reply.isThere })
        let answer = try #require(reply.replies.first).get().answer
        #expect(answer.source == .upstream && !answer.isStale)
    }

    @Test func `observers are notified of expired fields as of any other change`() async throws {
        let fixture = try await open("type file @cacheControl(maxAge: 0) { n: Int }")
        try await fixture.put([#"{"id":"x","n":1}"#])
        let sink = FoldingSink()
        let reply = try await fixture.begin("{}", .cacheOnly, sink: sink) { $0.allowsStale = true }
        let subscription = try #require(reply.subscription)
        try await fixture.input.feed([event(1, #"{"id":"x","n":2}"#, type: "file")])
        #expect(sink.observer(subscription)?.list.map { String(decoding: $0, as: UTF8.self) } == [#"{"id":"x","n":2}"#])
        #expect(sink.problems == [])
    }

    @Test func `ages are unchanged after a restart, and unknown when the clock was set back meanwhile`() async throws {
        let store = MemoryJournal.Store()
        let fixture = try await open(
            "type Song @cacheControl(maxAge: 10) { title: String }", MemoryJournal(store: store))
        fixture.clock.advance(milliseconds: 1 << 39)
        try await fixture.input.feed([event(1, #"{"id":"1","title":"Sea"}"#)])
        try await fixture.cache.flush()
        try await fixture.cache.close()
        // A new manual clock begins at the same time as the first one, long before the write.
        let earlier = try await open(
            "type Song @cacheControl(maxAge: 10) { title: String }", MemoryJournal(store: store))
        #expect(try await get(earlier).miss == .expired)
        try await earlier.cache.close()
        let later = try await open(
            "type Song @cacheControl(maxAge: 10) { title: String }", MemoryJournal(store: store),
            clock: ManualClock(now: fixture.clock.now() + 9_999))
        #expect(try await get(later).miss == nil)
        later.clock.advance(milliseconds: 1)
        #expect(try await get(later).miss == .expired)
        try await later.cache.close()
    }
}
