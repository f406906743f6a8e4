import Logging
import TestTraits
import Testing
import TidemarkModel
import TidemarkTestKit
import TidemarkTesting
import TidemarkWire

@testable import Tidemark

/// Lines whose envelopes the reader of a log wrote, and what it tells itself. Laws: L4, L7.
@Suite(.pooled) struct LineOriginTests {
    private static func line(_ sequence: Int, prev: Int, _ event: String) -> String {
        #"{"library_id":"a","sequence":\#(sequence),"prev":\#(prev),"epoch":"e","event":\#(event)}"#
    }

    private static func change(_ sequence: Int, prev: Int) -> String {
        line(sequence, prev: prev, #"{"ResourceChanged":{"resource_type":"file","resource":{"id":"f\#(sequence)"}}}"#)
    }

    private static let broken = [#"!"no JSON""#, #"{"ResourceChanged":{}}"#]

    /// A cache that is fed batches of any origin as one input.
    private struct Fixture {
        let journal = MemoryJournal()
        let cache: SyncCache
        let input: InputID

        init(_ upstream: (any Upstream)? = nil) async throws {
            var configuration = CacheConfiguration()
            configuration.logger.logLevel = .critical
            cache = try await SyncCache.open(
                configuration: configuration, journal: journal, upstream: upstream,
                clock: ManualClock(skipsUpTo: 1_000))
            input = await cache.openInput(hasUnread: { false }).input
        }

        func feed(_ lines: [String], _ origin: LineOrigin) async throws {
            let bytes = Array(lines.map { $0 + "\n" }.joined().utf8)
            for batch in try EventDecoder.batches(of: bytes, input: input, origin: origin, limits: Limits()) {
                try await cache.ingest(batch)
            }
        }

        func status() async -> LibraryStatus? { await cache.status(of: "a") }
    }

    @Test(arguments: broken)
    func `an event that cannot be used keeps its place in a log, and its number alone is lost`(event: String)
        async throws
    {
        let fixture = try await Fixture()
        try await fixture.feed(
            [Self.change(1, prev: 0), Self.line(3_002, prev: 1, event), Self.change(3_003, prev: 3_002)], .log)
        let status = try #require(await fixture.status())
        #expect(status.cursor == EventSequence(3_003) && status.phase == .stale)
        #expect(status.lost == [LostRange(first: EventSequence(3_002), last: EventSequence(3_002))])
        try await fixture.cache.flush()
        let record = try #require(await fixture.journal.quarantine().first)
        #expect(record.sequence == EventSequence(3_002) && record.line == 2 && record.library == "a")
        #expect(record.bytes == Array(Self.line(3_002, prev: 1, event).utf8))
        let counts = await fixture.cache.counts()
        #expect(counts.lines == 3 && counts.applied == 2 && counts.quarantined == 1 && counts.isConserved())
    }

    @Test(arguments: broken)
    func `the same line of a producer is a hole: its prev does not count`(event: String) async throws {
        let fixture = try await Fixture()
        try await fixture.feed(
            [Self.change(1, prev: 0), Self.line(3_002, prev: 1, event), Self.change(3_003, prev: 3_002)], .producer)
        try await fixture.cache.endOfInput()
        #expect(await fixture.status()?.lost == [LostRange(first: EventSequence(2), last: EventSequence(3_002))])
    }

    @Test(arguments: broken)
    func `one that waits behind a gap is set aside with its line when its turn comes`(event: String) async throws {
        let fixture = try await Fixture()
        try await fixture.feed(
            [Self.change(1, prev: 0), Self.line(9, prev: 5, event), Self.change(10, prev: 9), Self.change(5, prev: 1)],
            .log)
        let status = try #require(await fixture.status())
        #expect(status.cursor == EventSequence(10))
        #expect(status.lost == [LostRange(first: EventSequence(9), last: EventSequence(9))])
        try await fixture.cache.flush()
        let record = try #require(await fixture.journal.quarantine().first)
        #expect(record.bytes == Array(Self.line(9, prev: 5, event).utf8) && record.line == 2)
        // The same message again, as after a start behind another library's cursor.
        try await fixture.feed([Self.line(9, prev: 5, event)], .log)
        #expect(await fixture.status()?.lost == status.lost)
        let counts = await fixture.cache.counts()
        #expect(counts.quarantined == 2 && counts.late == 1 && counts.lines == 5 && counts.isConserved())
    }

    @Test func `a log's answer to a question loses the number of its unusable event alone`() async throws {
        struct Log: Upstream {
            func events(
                since sequence: EventSequence, of library: ByteString
            ) async throws(UpstreamError) -> UpstreamResponse {
                let lines = [
                    LineOriginTests.line(7, prev: 1, LineOriginTests.broken[0]), LineOriginTests.change(8, prev: 7),
                ]
                var answer = UpstreamResponse(lines: Array(lines.map { $0 + "\n" }.joined().utf8))
                answer.origin = .log
                return answer
            }
        }
        let fixture = try await Fixture(Log())
        try await fixture.feed([Self.change(1, prev: 0), Self.change(9, prev: 8)], .log)
        try await fixture.cache.endOfInput()
        let status = try #require(await fixture.status())
        #expect(status.cursor == EventSequence(9))
        #expect(status.lost == [LostRange(first: EventSequence(7), last: EventSequence(7))])
    }

    @Test func `an announcement of a reader has its effect, and is no line`() async throws {
        let fixture = try await Fixture()
        try await fixture.feed([Self.change(1, prev: 0)], .log)
        try await fixture.feed(
            [#"{"library_id":"a","epoch":"e","event":{"Heartbeat":{"last_sequence":4}}}"#], .reader)
        try await fixture.cache.endOfInput()
        #expect(
            await fixture.status()?.lost == [LostRange(first: EventSequence(2), last: EventSequence(4))])
        try await fixture.feed([#"{"library_id":"a","epoch":"f","event":{"Reset":{"epoch":"f"}}}"#], .reader)
        #expect(await fixture.status()?.epoch == "f")
        let counts = await fixture.cache.counts()
        #expect(counts.lines == 1 && counts.applied == 1 && counts.isConserved())
        try await fixture.cache.flush()
        #expect(await fixture.cache.progress(of: fixture.input).durableLineCount == 1)
    }
}
