import TestTraits
import Testing
import Tidemark
import TidemarkModel
import TidemarkStore
import TidemarkTesting

/// The kept events of a cache: the line as it came, and each entity before and after.
@Suite(.pooled) struct KeptEventTests {
    private func open(_ configure: (inout CacheConfiguration) -> Void = { _ in }) async throws -> QueryFixture {
        try await QueryFixture.open(hasUpstream: false) {
            $0.keptEventByteCountMax = KeptEvents.servedByteCountMax
            configure(&$0)
        }
    }

    /// The kept events, the oldest first: `bin key before→after`.
    private func kept(
        _ fixture: QueryFixture, _ change: (inout KeptEvents.Selection) -> Void = { _ in }
    ) async -> [String] {
        var selection = KeptEvents.Selection(countMax: 1_000)
        change(&selection)
        func text(_ bytes: [UInt8]?) -> String { bytes.map { String(decoding: $0, as: UTF8.self) } ?? "-" }
        return await fixture.cache.keptEvents().select(selection).events.reversed().map { event in
            ([event.event.bin.rawValue] + event.writes.map { "\($0.key) \(text($0.before))→\(text($0.after))" })
                .joined(separator: " ")
        }
    }

    @Test func `an entity is kept as it was before an event and after it`() async throws {
        let fixture = try await open()
        let white = EventLine.change(#"{ "id": "x" }"#, library: "a", sequence: 2)
        try await fixture.input.feed([
            Lines.change(1, id: "x"), white,
            EventLine.batch([#"{"id":"x","n":3}"#, #"{"n":0}"#, #"{"id":"y"}"#], library: "a", sequence: 3),
            Lines.delete(4, id: "x"), Lines.delete(5, id: "none"), Lines.change(5, id: "x"), "{",
        ])
        #expect(
            await kept(fixture) == [
                #"applied file:x -→{"id":"x","n":1}"#, #"applied file:x {"id":"x","n":1}→{"id":"x"}"#,
                #"applied file:x {"id":"x"}→{"id":"x","n":3} file:y -→{"id":"y"}"#,
                #"applied file:x {"id":"x","n":3}→-"#,
                "applied", "duplicate", "quarantined",
            ])
        let events = await fixture.cache.keptEvents().select(KeptEvents.Selection(countMax: 10)).events
        #expect(events[5].content == Array(white.utf8))
        #expect(events[0].content == Array("{".utf8))
        #expect(events.map(\.event.number) == [7, 6, 5, 4, 3, 2, 1])
        #expect(events[4].event.keys == ["file:x", "file:y"])
    }

    @Test func `a merge is kept with the whole entity before and after`() async throws {
        let fixture = try await open { $0.mergedTypes = ["file"] }
        try await fixture.input.feed([
            EventLine.change(#"{"id":"x","a":1}"#, library: "a", sequence: 1),
            EventLine.change(#"{"id":"x","b":2}"#, library: "a", sequence: 2),
        ])
        #expect(
            await kept(fixture) == [
                #"applied file:x -→{"id":"x","a":1}"#, #"applied file:x {"id":"x","a":1}→{"id":"x","a":1,"b":2}"#,
            ])
    }

    @Test func `writes of others are not an event's, also between events`() async throws {
        let fixture = try await open()
        try await fixture.input.feed([Lines.change(1, id: "x")])
        try await fixture.put([#"{"id":"x","n":9}"#, #"{"id":"z"}"#])
        try await fixture.input.feed([Lines.change(2, id: "x")])
        #expect(
            await kept(fixture) == [
                #"applied file:x -→{"id":"x","n":1}"#, #"applied file:x {"id":"x","n":9}→{"id":"x","n":2}"#,
            ])
    }

    @Test func `a held event is kept twice: its line when it came, its writes when it was applied`() async throws {
        let fixture = try await open()
        try await fixture.input.feed([Lines.change(1, id: "x"), Lines.change(3, id: "x"), Lines.change(2, id: "x")])
        #expect(
            await kept(fixture) { $0.part = "FILE:X" } == [
                #"applied file:x -→{"id":"x","n":1}"#, "held", #"applied file:x {"id":"x","n":1}→{"id":"x","n":2}"#,
                #"applied file:x {"id":"x","n":2}→{"id":"x","n":3}"#,
            ])
        var selection = KeptEvents.Selection(countMax: 10)
        selection.sequence = EventSequence(3)
        let events = await fixture.cache.keptEvents().select(selection).events
        #expect(events.map(\.content) == [nil, Array(Lines.change(3, id: "x").utf8)])
    }

    @Test func `nothing is kept of what was there before the cache was cleared`() async throws {
        let fixture = try await open()
        try await fixture.input.feed([Lines.change(1, id: "x")])
        try await fixture.cache.clear(library: "other")
        #expect(await kept(fixture) == [])
        try await fixture.input.feed([Lines.change(2, id: "x")])
        let events = await fixture.cache.keptEvents().select(KeptEvents.Selection(countMax: 10)).events
        #expect(events.map(\.event.number) == [2])
    }

    @Test func `a cache keeps nothing unless it is asked to`() async throws {
        let fixture = try await QueryFixture.open(hasUpstream: false)
        try await fixture.input.feed([Lines.change(1)])
        #expect(await kept(fixture) == [])
        #expect(await fixture.cache.keptEvents().byteCount == 0)
    }
}
