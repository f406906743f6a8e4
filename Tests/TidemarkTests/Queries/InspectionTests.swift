import TestTraits
import Testing
import Tidemark
import TidemarkModel
import TidemarkStore
import TidemarkTestKit
import TidemarkTesting

/// Reads for people who look at a cache: why lists are stale, the base under layers, quarantine and its places.
@Suite(.pooled) struct InspectionTests {
    private func cause(_ fixture: QueryFixture) async throws -> StaleCause? {
        try await fixture.cache.queries(library: nil, type: nil, after: 0, countMax: 10).queries.first?.staleCause
    }

    @Test func `a list says why it is stale`() async throws {
        let journal = MemoryJournal()
        let fixture = try await QueryFixture.open(journal, hasUpstream: false) { $0.reorderWindow = .milliseconds(1) }
        try await fixture.input.feed([Lines.change(1)])
        try await fixture.put(["{\"id\":\"x\"}"]) { $0.timeToLive = .milliseconds(1_000) }
        #expect(try await cause(fixture) == nil)
        fixture.clock.advance(milliseconds: 1_000)
        #expect(try await cause(fixture) == .expired)
        try await fixture.put(["{\"id\":\"x\"}"])
        #expect(try await cause(fixture) == nil)
        _ = try await fixture.cache.remove(removal("x"))
        #expect(try await cause(fixture) == .missing)
        try await fixture.put([])
        try await fixture.input.feed(["{\"library_id\":\"a\",\"event\":\"Refresh\"}"])
        #expect(try await cause(fixture) == .event)
        try await fixture.put([])
        var invalidation = Invalidation(library: "a")
        invalidation.resourceType = "file"
        _ = try await fixture.cache.invalidate(invalidation)
        #expect(try await cause(fixture) == .request)
        try await fixture.put([])
        try await fixture.input.feed([Lines.change(3)])
        try await fixture.cache.endOfInput()
        #expect(try await cause(fixture) == .log)
        try await fixture.cache.close()
        let again = try await QueryFixture.open(MemoryJournal(store: journal.store), hasUpstream: false)
        #expect(try await cause(again) == .earlier)
    }

    private func removal(_ id: String) -> Removal {
        var removal = Removal(library: "a")
        removal.resourceType = "file"
        removal.ids = [ByteString(id)]
        return removal
    }

    @Test func `hits count the reads that a list answered`() async throws {
        let fixture = try await QueryFixture.open(hasUpstream: false)
        try await fixture.put([])
        for _ in 0..<3 { _ = try await fixture.read() }
        _ = try await fixture.read("{\"other\":1}")
        let listed = try await fixture.cache.queries(library: "a", type: "file", after: 0, countMax: 10).queries
        #expect(listed.map(\.hitCount) == [3])
    }

    @Test func `a query is listed with the time of its last fetch, and with the reason of a failure`() async throws {
        let fixture = try await QueryFixture.open()
        func listed() async throws -> FetchTime? {
            try await fixture.cache.queries(library: "a", type: "file", after: 0, countMax: 10).queries.first?.fetch
        }
        try await fixture.put([])
        #expect(try await listed() == nil)
        let first = try await fixture.begin("{}", .networkOnly)
        await fixture.upstream.waitForQuestions(1)
        fixture.clock.advance(milliseconds: 120)
        await fixture.upstream.answer(.success(QueryFixture.result([])))
        #expect(await eventually { first.isThere })
        #expect(try await listed() == FetchTime(at: fixture.clock.now(), took: 120, failure: nil))
        let second = try await fixture.begin("{}", .networkOnly)
        await fixture.upstream.waitForQuestions(2)
        fixture.clock.advance(milliseconds: 7)
        await fixture.upstream.answer(.failure(UpstreamError("busy")))
        #expect(await eventually { second.isThere })
        #expect(try await listed() == FetchTime(at: fixture.clock.now(), took: 7, failure: "busy"))
    }

    @Test func `looking at the base is no use of the entity, no hit and no miss`() async throws {
        let fixture = try await QueryFixture.open(hasUpstream: false)
        try await fixture.input.feed([Lines.change(1, id: "x")])
        let before = await fixture.cache.statistics()
        #expect(try await fixture.cache.base(of: Lines.key("x")).sequence == EventSequence(1))
        #expect(try await fixture.cache.base(of: Lines.key("y")).payload == nil)
        let after = await fixture.cache.statistics()
        #expect(after.hitCount == before.hitCount && after.missCounts == before.missCounts)
    }

    @Test(arguments: [
        ("{\"a\":1,}", QuarantineReason.notJSON, "}"), ("[1", .notJSON, ""),
        ("{\"sequence\":\"x\"}", .badSequence, "\"x\""),
        ("{\"prev\": 9, \"sequence\":3}", .badSequence, "9"), ("{\"resource_type\" : \"a b\"}", .badType, "\"a b\""),
        ("{\"id\":[1]}", .missingID, "[1"), ("{\"resource_type\":\"a\\\"b\"}", .badType, "\"a\\\"b\""),
    ])
    func `the place of a record is what is wrong`(_ text: String, _ reason: QuarantineReason, _ wrong: String) throws {
        let bytes = Array(text.utf8)
        let record = QuarantineRecord(
            kind: .line, reason: reason, line: 1, offset: 0, library: nil, sequence: nil, receivedAt: 0, bytes: bytes,
            byteCount: bytes.count)
        let place = try #require(record.place)
        #expect(String(decoding: bytes[place], as: UTF8.self) == wrong)
        #expect(!record.message.isEmpty)
    }

    @Test func `the place in bytes that are not UTF-8 is the first of them, and a part of a line has no end`() throws {
        func place(_ bytes: [UInt8], _ reason: QuarantineReason, byteCount: Int) -> Range<Int>? {
            QuarantineRecord(
                kind: .line, reason: reason, line: 1, offset: 0, library: nil, sequence: nil, receivedAt: 0,
                bytes: bytes,
                byteCount: byteCount
            ).place
        }
        #expect(place([0x61, 0xC3, 0xA9, 0xFF, 0x61], .invalidUTF8, byteCount: 5) == 3..<4)
        #expect(place(Array("{\"a\":".utf8), .notJSON, byteCount: 9) == nil)
        #expect(place(Array("{\"a\":".utf8), .notJSON, byteCount: 5) == 5..<5)
        #expect(place(Array("{\"a\":x".utf8), .notJSON, byteCount: 90) == 5..<6)
        #expect(place([], .badType, byteCount: 0) == nil)
    }
}
