import TestTraits
import Testing
import TidemarkModel
import TidemarkStore
import TidemarkTesting

@testable import Tidemark

/// Lines that change nothing are counted and acknowledged, but do not cause a flush. Law: L5.
@Suite(.pooled) struct UnchangedLineTests {
    private static let blank = ["", "", ""]
    private static let duplicate = [Lines.change(1)]
    private static let heartbeat = [Lines.heartbeat(1)]
    private static let message = [#"{"jsonrpc":"2.0","id":1,"method":"cache.stats"}"#]
    private static let unusable = ["{"]

    @Test(arguments: [blank, duplicate, heartbeat, message])
    func `counts wait for the next write, or the end`(lines: [String]) async throws {
        let store = MemoryJournal.Store()
        let fixture = try await QueryFixture.open(MemoryJournal(store: store))
        try await fixture.input.feed([Lines.change(1)])
        try await fixture.cache.flush()
        let commitCount = await fixture.cache.commitCount
        for _ in 0..<20 {
            try await fixture.input.feed(lines)
            fixture.clock.advance(milliseconds: 1_000)
        }
        #expect(await fixture.cache.timers.flush == nil)
        #expect(await !fixture.cache.flushes.isUnderWay)
        #expect(await fixture.cache.commitCount == commitCount)
        let counts = await fixture.cache.counts()
        #expect(counts.lines == 1 + 20 * Int64(lines.count))
        try await fixture.cache.close()
        let again = try await QueryFixture.open(MemoryJournal(store: store))
        #expect(await again.cache.counts() == counts)
    }

    @Test func `a quarantined line is written to the journal`() async throws {
        let fixture = try await QueryFixture.open()
        try await fixture.input.feed(Self.unusable)
        #expect(await fixture.cache.timers.flush != nil)
    }

    @Test func `lines that change nothing are acknowledged once all earlier lines are durable`() async throws {
        let journal = MemoryJournal()
        let fixture = try await QueryFixture.open(journal)
        var acknowledged = fixture.input.acknowledgements.makeAsyncIterator()
        try await fixture.input.feed(Self.blank)
        #expect(await acknowledged.next()?.lines == 3)
        try await fixture.input.feed([Lines.change(1)])
        try await fixture.input.feed(Self.blank)
        try await fixture.cache.flush()
        #expect(await acknowledged.next()?.lines == 7)
        try await fixture.input.feed(Self.duplicate)
        let last = await acknowledged.next()
        #expect(last?.lines == 8)
        #expect(last?.libraries == ["a": EventSequence(1)])
        // A held event, and every line after it, is not acknowledged.
        try await fixture.input.feed([Lines.change(3), ""])
        try await fixture.input.feed([Lines.change(2), ""])
        try await fixture.cache.flush()
        #expect(await acknowledged.next()?.lines == 12)
    }

    @Test func `a delegate that refused is not asked again for lines that change nothing`() async throws {
        actor Delegate {
            private(set) var count = 0
            func refuse() -> Bool {
                count += 1
                return false
            }
        }
        let delegate = Delegate()
        let fixture = try await QueryFixture.open {
            $0.eviction.entityCountMax = 0
            $0.eviction.willEvict = { _ in await delegate.refuse() }
        }
        try await fixture.input.feed([Lines.change(1)])
        try await fixture.cache.flush()
        #expect(await eventually { await fixture.cache.eviction.tierConsent.isRefused })
        for _ in 0..<50 {
            try await fixture.input.feed([#"{"jsonrpc":"2.0","id":1,"result":{"evict":false}}"#])
            fixture.clock.advance(milliseconds: 1_000)
        }
        #expect(await fixture.cache.timers.flush == nil)
        #expect(await delegate.count == 1)
    }
}
