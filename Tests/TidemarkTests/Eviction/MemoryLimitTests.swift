import Logging
import Synchronization
import TestTraits
import Testing
@testable import Tidemark
import TidemarkModel
import TidemarkStore
import TidemarkTesting

/// Evictions from memory: which entities, when, and which ones stay. Laws: L8, L9.
@Suite(.pooled) struct MemoryLimitTests {
    private func open(
        _ journal: MemoryJournal = MemoryJournal(), byteCountMax: Int, autoEvict: Int? = nil
    ) async throws -> QueryFixture {
        try await QueryFixture.open(journal) {
            $0.memoryByteCountMax = byteCountMax
            $0.eviction.autoEvictByteCount = autoEvict
        }
    }

    private func feed(_ fixture: QueryFixture, _ ids: some Sequence<Int>) async throws {
        try await fixture.input.feed(ids.map { EventLine.change(#"{"id":"k\#($0)","n":"\#(1_000 + $0)"}"#) })
    }

    private func key(_ number: Int) -> EntityKey { EntityKey(library: "", type: "file", id: ByteString("k\(number)")) }

    private func text(_ fixture: QueryFixture, _ number: Int) async throws -> String? {
        try await fixture.cache.read(key(number), fields: nil).entity.map { String(decoding: $0, as: UTF8.self) }
    }

    /// Returns the bytes of each of these entities in memory.
    private func byteCount(of ids: Range<Int>) async throws -> Int {
        let fixture = try await open(byteCountMax: 1 << 20)
        try await feed(fixture, ids)
        return await fixture.cache.statistics().memoryByteCount / ids.count
    }

    /// Waits for the eviction after a commit, which may take several turns.
    private func settled(_ fixture: QueryFixture) async throws -> Int {
        #expect(await eventually { await fixture.cache.eviction.memoryTask == nil })
        return await fixture.cache.residentCount
    }

    @Test(arguments: [(indexed: 0, kept: 32), (15, 17), (31, 2), (100, 2)])
    func `the index of the journal counts in the limit, and leaves a sixteenth for entities`(
        indexed: Int, kept: Int
    ) async throws {
        let each = try await byteCount(of: 10..<50)
        let journal = MemoryJournal(memoryByteCount: indexed * each)
        let fixture = try await open(journal, byteCountMax: 32 * each, autoEvict: 0)
        try await feed(fixture, 10..<50)
        try await fixture.cache.flush()
        #expect(try await settled(fixture) == kept)
    }

    @Test func `memory is evicted to the limit less the freed share, the least recently used first`()
        async throws
    {
        let each = try await byteCount(of: 10..<30)
        let journal = MemoryJournal()
        let fixture = try await open(journal, byteCountMax: 20 * each, autoEvict: 5 * each)
        try await feed(fixture, 10..<30)
        try await fixture.cache.flush()
        #expect(try await settled(fixture) == 20)
        // A read counts as a use: these entities are now more recently used than all written ones.
        for number in 10..<15 { _ = try await text(fixture, number) }
        try await feed(fixture, 30..<31)
        try await fixture.cache.flush()
        #expect(try await settled(fixture) == 15)
        await journal.failLoads(StorageError(.inputOutput, "no", advice: "none"))
        for number in Array(10..<15) + Array(21..<31) {
            #expect(try await text(fixture, number) == #"{"id":"k\#(number)","n":"\#(1_000 + number)"}"#)
        }
        for number in 15..<21 {
            await #expect(throws: CacheError.self) { try await fixture.cache.read(key(number), fields: nil) }
        }
        #expect(await fixture.cache.statistics().evictionCount == 6)
    }

    @Test func `an evicted entity is read back byte for byte, and reads keep to the limit`() async throws {
        let each = try await byteCount(of: 10..<30)
        let fixture = try await open(byteCountMax: 10 * each)
        try await feed(fixture, 10..<90)
        try await fixture.cache.flush()
        for number in 10..<90 {
            #expect(try await text(fixture, number) == #"{"id":"k\#(number)","n":"\#(1_000 + number)"}"#)
            #expect(try await settled(fixture) <= 10)
        }
        #expect(await fixture.cache.entityCount() == 80)
    }

    @Test func `a lookup of a single entity counts as a use too`() async throws {
        let each = try await byteCount(of: 10..<30)
        let journal = MemoryJournal()
        let fixture = try await open(journal, byteCountMax: 10 * each, autoEvict: 0)
        try await feed(fixture, 10..<30)
        try await fixture.cache.flush()
        #expect(try await settled(fixture) == 10)
        guard case .found = try await fixture.cache.entity(key(12)) else {
            Issue.record("k12 is gone")
            return
        }
        #expect(try await settled(fixture) == 10)
        await journal.failLoads(StorageError(.inputOutput, "no", advice: "none"))
        #expect(try await text(fixture, 12) != nil)
        await #expect(throws: CacheError.self) { try await fixture.cache.read(key(20), fields: nil) }
    }

    @Test func `many entities are evicted in slices, and others get their turn in between`() async throws {
        let fixture = try await open(byteCountMax: 0)
        try await feed(fixture, 10_000..<15_500)
        try await fixture.cache.flush()
        let first = await fixture.cache.residentCount
        #expect(first > 0 && first < 5_500)
        #expect(try await settled(fixture) == 0)
        #expect(await fixture.cache.statistics().memoryByteCount == 0)
        #expect(await fixture.cache.evictedCount == 5_500)
    }

    @Test func `a slice ends when its time is over, at the next check of the clock`() async throws {
        // Each check of the clock finds 0.3 ms more: the second one, after 128 entities, is past 0.5 ms.
        let lookCount = Mutex(Int64(0))
        let fixture = try await QueryFixture.open {
            $0.memoryByteCountMax = 0
            $0.stepClock = {
                lookCount.withLock { count in
                    count += 1
                    return count * 300_000
                }
            }
        }
        try await feed(fixture, 1_000..<1_640)
        try await fixture.cache.flush()
        #expect(try await settled(fixture) == 0)
        // There are five slices: each checks when it begins and after each 64 entities, except at the end of the last.
        #expect(lookCount.withLock { $0 } == 14)
    }

    @Test func `entities of a flush under way stay, others may be evicted meanwhile`() async throws {
        let journal = MemoryJournal()
        let fixture = try await open(journal, byteCountMax: 0)
        try await feed(fixture, 10..<14)
        try await fixture.cache.flush()
        #expect(try await settled(fixture) == 0)
        await journal.pause()
        try await feed(fixture, [20])
        async let flushed: Void = fixture.cache.flush()
        await journal.waitUntilHeld()
        // The entity is loaded from the journal and evicted again at once; the one on its way to the journal stays.
        #expect(try await text(fixture, 10) != nil)
        #expect(try await settled(fixture) == 1)
        #expect(try await text(fixture, 20) != nil)
        await journal.resume()
        try await flushed
        #expect(try await settled(fixture) == 0)
    }

    @Test func `at most half of the memory is unwritten`() {
        var configuration = CacheConfiguration()
        configuration.flush = .bulk
        #expect(configuration.boundedFlush.byteCountMax == 128 << 20)
        configuration.memoryByteCountMax = 16 << 20
        #expect(configuration.boundedFlush.byteCountMax == 8 << 20)
        configuration.memoryByteCountMax = 0
        #expect(configuration.boundedFlush.byteCountMax == 1 << 20)
    }
}
