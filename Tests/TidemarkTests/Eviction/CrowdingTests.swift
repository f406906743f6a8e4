import Logging
import TestTraits
import Testing
import TidemarkModel
import TidemarkSQLite
import TidemarkStore
import TidemarkTesting

@testable import Tidemark

/// The limits of both tiers while input comes. Laws: L8, L9.
@Suite(.pooled) struct CrowdingTests {
    private static func change(_ id: Int, type: String = "file", text: String = "") -> String {
        EventLine.change(#"{"id":"k\#(id)","n":"\#(text)"}"#, type: type, library: "a")
    }

    /// Makes flushes begin only at a limit, or when the test asks for one.
    private static func neverFlushes(_ configuration: inout CacheConfiguration) {
        configuration.flush.interval = .milliseconds(1 << 40)
        configuration.flush.busyInterval = .milliseconds(1 << 40)
    }

    @Test(arguments: [0, 1 << 30], [false, true])
    func `the limit is exceeded by a tenth and a batch at most`(memory: Int, isWritten: Bool) async throws {
        let store = MemoryJournal.Store()
        let fixture = try await QueryFixture.open(MemoryJournal(store: store)) {
            Self.neverFlushes(&$0)
            $0.eviction.entityCountMax = 200
            $0.memoryByteCountMax = memory
        }
        for start in stride(from: 0, to: 5_000, by: 50) {
            try await fixture.input.feed((start..<start + 50).map { Self.change($0) })
            if isWritten, start % 400 == 0 { try await fixture.cache.flush() }
            #expect(await fixture.cache.entityCount() <= 220 + 50)
        }
        try await fixture.cache.enforceLimits()
        #expect(await fixture.cache.entityCount() == 200)
        #expect(
            try await fixture.cache.read(EntityKey(library: "a", type: "file", id: "k4999"), fields: nil).miss == nil)
        #expect(
            try await fixture.cache.read(EntityKey(library: "a", type: "file", id: "k0"), fields: nil).miss == .evicted)
        await fixture.cache.checkInvariants()
        try await fixture.cache.close()
        #expect(await MemoryJournal(store: store).stored().count == 200)
    }

    @Test func `entities that were never written are evicted without a write`() async throws {
        let store = MemoryJournal.Store()
        let fixture = try await QueryFixture.open(MemoryJournal(store: store)) {
            Self.neverFlushes(&$0)
            $0.eviction.entityCountMax = 10
        }
        for id in 0..<500 { try await fixture.input.feed([Self.change(id)]) }
        #expect(await fixture.cache.commitCount == 0)
        try await fixture.cache.close()
        let again = try await QueryFixture.open(MemoryJournal(store: store))
        var misses: Set<Int> = []
        for id in 0..<500 {
            let read = try await again.cache.read(
                EntityKey(library: "a", type: "file", id: ByteString("k\(id)")), fields: nil)
            if read.miss == .evicted { misses.insert(id) } else { #expect(read.entity != nil) }
        }
        #expect(misses == Set(0..<490))
    }

    @Test func `kept entities may exceed the limit, and are not scanned again by every batch`() async throws {
        let fixture = try await QueryFixture.open {
            Self.neverFlushes(&$0)
            $0.eviction.entityCountMax = 100
            $0.eviction.keptTypes = ["tag"]
        }
        try await fixture.input.feed((0..<800).map { Self.change($0, type: "tag") })
        #expect(await fixture.cache.entityCount() == 800)
        for id in 0..<1_000 {
            try await fixture.input.feed([Self.change(id)])
            #expect(await fixture.cache.entityCount() <= 800 + 100 + 1)
        }
        try await fixture.cache.enforceLimits()
        #expect(await fixture.cache.entityCount() == 800)
    }

    @Test func `input never waits for a delegate, whatever its answer`() async throws {
        let (answers, continuation) = AsyncStream.makeStream(of: Bool.self)
        let fixture = try await QueryFixture.open {
            $0.eviction.entityCountMax = 10
            $0.eviction.willEvict = { _ in
                for await answer in answers { return answer }
                return true
            }
        }
        for start in stride(from: 0, to: 1_000, by: 50) {
            try await fixture.input.feed((start..<start + 50).map { Self.change($0) })
        }
        try await fixture.cache.flush()
        #expect(await fixture.cache.entityCount() == 1_000)
        continuation.yield(false)
        #expect(await eventually { await fixture.cache.eviction.tierConsent.isRefused })
        try await fixture.input.feed((1_000..<1_050).map { Self.change($0) })
        #expect(await fixture.cache.entityCount() == 1_050)
        try await fixture.cache.flush()
        // One approval covers all the entities that it was asked for.
        continuation.yield(true)
        continuation.finish()
        #expect(await eventually { await fixture.cache.entityCount() <= 10 })
    }

    @Test func `an upstream's answers wait for the room that they need`() async throws {
        let fixture = try await QueryFixture.open { $0.eviction.entityCountMax = 20 }
        for step in 0..<30 {
            try await fixture.put((0..<10).map { #"{"id":"k\#(step * 10 + $0)"}"# }, #"{"q":\#(step % 3)}"#)
            #expect(await fixture.cache.entityCount() <= 22 + 10)
        }
    }

    @Test func `the database and its log keep to the disk limit after every batch, and stay below it`()
        async throws
    {
        let folder = try TemporaryFolder()
        let limit: Int64 = 2 << 20
        var configuration = CacheConfiguration()
        configuration.logger.logLevel = .critical
        configuration.flush = .bulk
        configuration.eviction.diskByteCountMax = limit
        let journal = try await SQLiteJournal.open(path: folder.path("cache.db"))
        let cache = try await SyncCache.open(configuration: configuration, journal: journal, clock: ManualClock())
        let input = try await HandInput(into: cache)
        var random = SeededGenerator(seed: 9)
        var most: Int64 = 0
        for start in stride(from: 0, to: 24_000, by: 200) {
            try await input.feed(
                (start..<start + 200).map { id in
                    Self.change(id, text: (0..<12).map { _ in String(random.next(), radix: 16) }.joined())
                })
            most = max(most, try await journal.size().fileByteCount)
        }
        // A batch of 200 with random ids may write a page of keys for each id; half of the pages are enough here.
        #expect(most <= limit + limit / 10 + 200 * 8_192 / 2, "\(most)")
        try await cache.enforceLimits()
        #expect(try await journal.size().usedByteCount <= limit - limit / 10)
        let count = await cache.entityCount()
        #expect(count > 3_000)
        try await cache.close()
        #expect(try await SQLiteJournal.open(path: folder.path("cache.db")).size().fileByteCount <= limit - limit / 10)
        let report = try SQLiteReader(path: folder.path("cache.db")).verify()
        #expect(report.isSound && report.entityCount == count)
    }

    @Test func `a database releases its free pages when most of it is free`() async throws {
        let folder = try TemporaryFolder()
        var configuration = CacheConfiguration()
        configuration.logger.logLevel = .critical
        var random = SeededGenerator(seed: 10)
        let texts = (0..<40_000).map { _ in (0..<12).map { _ in String(random.next(), radix: 16) }.joined() }
        func open() async throws -> (journal: SQLiteJournal, cache: SyncCache) {
            let journal = try await SQLiteJournal.open(path: folder.path("cache.db"))
            return (
                journal, try await SyncCache.open(configuration: configuration, journal: journal, clock: ManualClock())
            )
        }
        let first = try await open()
        try await HandInput(into: first.cache).feed(texts.enumerated().map { Self.change($0, text: $1) })
        try await first.cache.flush()
        try await first.cache.close()
        configuration.eviction.entityCountMax = 1_000
        let second = try await open()
        let full = try await second.journal.size()
        #expect(full.fileByteCount > 3 << 20)
        try await second.cache.enforceLimits()
        #expect(await eventually { await second.cache.eviction.shrinkTask == nil })
        let used = try await second.journal.size().usedByteCount
        try await second.cache.close()
        let report = try SQLiteReader(path: folder.path("cache.db")).verify()
        #expect(report.isSound && report.entityCount == 1_000)
        let rest = try await SQLiteJournal.open(path: folder.path("cache.db")).size()
        #expect(rest.fileByteCount < full.fileByteCount / 3)
        #expect(rest.fileByteCount <= 2 * used + (1 << 20))
    }
}
