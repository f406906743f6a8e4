import TestTraits
import Testing
import TidemarkTesting

@testable import Tidemark

/// Memory that only writing needs is released when nothing is written.
@Suite(.pooled) struct SpareMemoryTests {
    private func open(_ journal: MemoryJournal, _ clock: ManualClock, interval: Int64?) async throws -> QueryFixture {
        try await QueryFixture.open(journal, clock: clock, hasUpstream: false) {
            $0.spareMemoryInterval = interval.map { .milliseconds($0) }
        }
    }

    private func write(_ fixture: QueryFixture, _ number: Int) async throws {
        try await fixture.input.feed([EventLine.change(#"{"id":"k","n":\#(number)}"#, library: "a")])
        try await fixture.cache.flush()
    }

    @Test func `spare memory is released after a pause of writing, and once only until the next write`() async throws {
        let journal = MemoryJournal()
        let clock = ManualClock()
        let fixture = try await open(journal, clock, interval: 500)
        for round in 1...3 {
            try await write(fixture, round)
            // The wait begins in a task of its own, so the clock moves until the wait is over.
            #expect(
                await eventually {
                    clock.advance(milliseconds: 250)
                    return await journal.releaseCount == round
                })
            #expect(await eventually { clock.sleeperCount == 0 })
            clock.advance(milliseconds: 10_000)
            #expect(await journal.releaseCount == round)
        }
        try await fixture.cache.close()
    }

    @Test func `without an interval spare memory is released on request, and memory in use stays`() async throws {
        let journal = MemoryJournal()
        let clock = ManualClock()
        let fixture = try await open(journal, clock, interval: nil)
        try await write(fixture, 1)
        #expect(clock.sleeperCount == 0)
        let before = await fixture.cache.statistics().memoryByteCount
        await fixture.cache.releaseSpareMemory()
        #expect(await journal.releaseCount == 1)
        #expect(await fixture.cache.statistics().memoryByteCount == before)
        try await write(fixture, 2)
        try await fixture.cache.close()
    }
}
