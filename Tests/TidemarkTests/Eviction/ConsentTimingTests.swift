import Synchronization
import TestTraits
import Testing
import TidemarkTestKit
import TidemarkTesting

@testable import Tidemark

/// A delegate's answers at every moment of a flush. Laws: L8.
@Suite(.pooled) struct ConsentTimingTests {
    @Test func `a consent that comes while the flush that asked still waits is not forgotten`() async throws {
        let checks = Mutex<[EvictionCheck]>([])
        let journal = MemoryJournal()
        let fixture = try await QueryFixture.open(journal) {
            $0.eviction.entityCountMax = 2
            $0.eviction.willEvict = { check in
                checks.withLock { $0.append(check) }
                return true
            }
        }
        await journal.pauseFreeing()
        try await fixture.input.feed((0..<5).map { EventLine.change(#"{"id":"k\#($0)"}"#, library: "a") })
        await fixture.cache.startFlush()
        await journal.waitUntilHeld()
        // The flush has asked, and has not ended; the answer comes now.
        await fixture.cache.eviction.tierQuestion?.value
        #expect(await fixture.cache.eviction.tierConsent.isApproved)
        #expect(await fixture.cache.entityCount() == 5)
        await journal.resumeFreeing()
        // Nothing more is committed by a caller.
        #expect(await eventually { await fixture.cache.entityCount() == 2 })
        #expect(checks.withLock { $0 } == [EvictionCheck(tier: .entities, count: 5, limit: 2)])
        // The next commit finds that nothing is left to evict.
        try await fixture.cache.flush()
        #expect(await !fixture.cache.eviction.tierConsent.isApproved)
    }

    @Test func `a consent that comes while a flush fails is used after the next commit`() async throws {
        let (answers, continuation) = AsyncStream.makeStream(of: Bool.self)
        let journal = MemoryJournal()
        let fixture = try await QueryFixture.open(journal) {
            $0.eviction.entityCountMax = 2
            $0.eviction.willEvict = { _ in
                for await answer in answers { return answer }
                return true
            }
        }
        func feed(_ ids: Range<Int>) async throws {
            try await fixture.input.feed(ids.map { EventLine.change(#"{"id":"k\#($0)"}"#, library: "a") })
        }
        try await feed(0..<5)
        try await fixture.cache.flush()
        let question = try #require(await fixture.cache.eviction.tierQuestion)
        await journal.failNextCommits([StorageError(.diskFull, "full", advice: "make room")])
        await journal.pause()
        try await feed(5..<6)
        await fixture.cache.startFlush()
        await journal.waitUntilHeld()
        continuation.yield(true)
        await question.value
        #expect(await fixture.cache.entityCount() == 6)
        await journal.resume()
        #expect(
            await eventually {
                // A failed flush is written again after a pause.
                fixture.clock.advance(milliseconds: 100)
                return await fixture.cache.entityCount() == 2
            })
    }
}
