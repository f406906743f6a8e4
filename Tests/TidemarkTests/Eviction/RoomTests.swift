import Logging
import TestTraits
import Testing
import TidemarkModel
import TidemarkSQLite
import TidemarkStore
import TidemarkTestKit
import TidemarkTesting

@testable import Tidemark

/// Evictions from memory and disk: which entities leave, which stay, and what reads return then. Laws: L1, L8, L9.
@Suite(.pooled) struct RoomTests {
    private static func change(_ id: Int, _ value: Int, metadata: String = "null") -> String {
        EventLine.change(text(id, value), metadata: metadata, library: "a")
    }

    private static func text(_ id: Int, _ value: Int) -> String { #"{"id":"k\#(id)","v\#(value % 3)":\#(value)}"# }

    private static func key(_ id: Int) -> EntityKey { EntityKey(library: "a", type: "file", id: ByteString("k\(id)")) }

    private func read(_ fixture: QueryFixture, _ id: Int) async throws -> EntityRead {
        try await fixture.cache.read(RoomTests.key(id), fields: nil)
    }

    private func misses(_ fixture: QueryFixture, _ ids: Range<Int>) async throws -> [Int: EntityRead.Miss] {
        var misses: [Int: EntityRead.Miss] = [:]
        for id in ids { misses[id] = try await read(fixture, id).miss }
        return misses
    }

    @Test(arguments: [0, 1 << 30])
    func `the least recently used are evicted from both tiers, and reads report this`(memory: Int) async throws {
        let store = MemoryJournal.Store()
        let fixture = try await QueryFixture.open(MemoryJournal(store: store)) {
            $0.eviction.entityCountMax = 10
            $0.memoryByteCountMax = memory
        }
        try await fixture.input.feed((0..<10).map { Self.change($0, $0) })
        try await fixture.cache.enforceLimits()
        #expect(try await misses(fixture, 0..<10) == [:])
        fixture.clock.advance(milliseconds: 1)
        // Entities that were read or written are more recently used; where nothing stays in memory only a write counts.
        for id in 0..<3 { _ = try await read(fixture, id) }
        if memory == 0 { try await fixture.input.feed((0..<3).map { Self.change($0, $0) }) }
        try await fixture.input.feed([Self.change(20, 20), Self.change(21, 21)])
        try await fixture.cache.enforceLimits()
        #expect(try await misses(fixture, 0..<10) == [3: .evicted, 4: .evicted])
        #expect(try await fixture.cache.entity(Self.key(3)) == .missing(.evicted))
        #expect(await fixture.cache.entityCount() == 10)
        #expect(await fixture.cache.statistics().missCounts[.evicted] == 3)
        #expect(await MemoryJournal(store: store).stored().count == 10)
        try await fixture.cache.close()
        // Evicted keys are remembered after a restart, too.
        let again = try await QueryFixture.open(MemoryJournal(store: store)) { $0.eviction.entityCountMax = 10 }
        #expect(try await read(again, 3).miss == .evicted)
        #expect(try await read(again, 30).miss == .absent)
        #expect(try await read(again, 20).entity.map { String(decoding: $0, as: UTF8.self) } == Self.text(20, 20))
    }

    @Test func `a cache that is opened with a lower limit evicts at once, the oldest first`() async throws {
        let store = MemoryJournal.Store()
        let first = try await QueryFixture.open(MemoryJournal(store: store))
        for id in [5, 3, 1, 4, 2, 0] {
            first.clock.advance(milliseconds: 1)
            try await first.input.feed([Self.change(id, id)])
            try await first.cache.flush()
        }
        try await first.cache.close()
        let again = try await QueryFixture.open(MemoryJournal(store: store), clock: first.clock) {
            $0.eviction.entityCountMax = 2
        }
        try await again.cache.enforceLimits()
        #expect(await again.cache.entityCount() == 2)
        #expect(try await misses(again, 0..<6) == [5: .evicted, 3: .evicted, 1: .evicted, 4: .evicted])
        #expect(await again.cache.statistics().evictionCount == 4)
    }

    @Test func `entities that are observed, pending or kept are never evicted, and all other lists miss`() async throws
    {
        let fixture = try await QueryFixture.open {
            $0.eviction.entityCountMax = 0
            $0.eviction.keptTypes = ["tag"]
        }
        try await fixture.put([Self.text(0, 0), Self.text(1, 1)], #"{"q":"seen"}"#)
        let sink = FoldingSink()
        let seen = try await fixture.read(#"{"q":"seen"}"#, sink: sink).get().subscription
        try await fixture.put([Self.text(1, 1), Self.text(2, 2)], #"{"q":"unseen"}"#)
        try await fixture.input.feed([
            EventLine.change(#"{"id":"t"}"#, type: "tag", library: "a"),
            Self.change(3, 3),
        ])
        try await fixture.cache.enforceLimits()
        #expect(await fixture.cache.entityCount() == 3)
        #expect(try await fixture.stored(#"{"q":"seen"}"#) == [Self.text(0, 0), Self.text(1, 1)])
        #expect(try await fixture.stored(#"{"q":"unseen"}"#) == nil)
        #expect(try await misses(fixture, 0..<4) == [2: .evicted, 3: .evicted])
        #expect(try await fixture.cache.read(EntityKey(library: "a", type: "tag", id: "t"), fields: nil).miss == nil)
        #expect(sink.problems == [])
        try await fixture.cache.cancel(try #require(seen))
        try await fixture.cache.enforceLimits()
        #expect(await fixture.cache.entityCount() == 1)
    }

    @Test func `a merge does not restore a part of an evicted entity, a complete write restores it`() async throws {
        let fixture = try await QueryFixture.open { $0.eviction.entityCountMax = 1 }
        try await fixture.input.feed([Self.change(0, 0)])
        try await fixture.input.feed([Self.change(1, 1)])
        try await fixture.cache.enforceLimits()
        #expect(try await misses(fixture, 0..<2) == [0: .evicted])
        try await fixture.input.feed([Self.change(0, 1, metadata: "{}")])
        #expect(try await misses(fixture, 0..<2) == [0: .evicted])
        try await fixture.input.feed([Self.change(0, 2)])
        #expect(try await misses(fixture, 0..<2) == [:])
        try await fixture.input.feed([
            EventLine.delete("k1", library: "a")
        ])
        #expect(try await read(fixture, 1).miss == .deleted)
    }

    /// A delegate that gives its answers in order and counts the questions; the last answer is repeated.
    private actor Delegate {
        private(set) var checks: [EvictionCheck] = []
        private var answers: [Bool]

        init(_ answers: [Bool]) { self.answers = answers }

        func answer(_ check: EvictionCheck) -> Bool {
            checks.append(check)
            return answers.count > 1 ? answers.removeFirst() : answers[0]
        }
    }

    @Test func `a delegate that refused is asked after the next commit, and none is evicted before`() async throws {
        let delegate = Delegate([false, true])
        let fixture = try await QueryFixture.open {
            $0.eviction.entityCountMax = 2
            $0.eviction.willEvict = { await delegate.answer($0) }
        }
        try await fixture.input.feed((0..<3).map { Self.change($0, $0) })
        try await fixture.cache.enforceLimits()
        #expect(await delegate.checks == [EvictionCheck(tier: .entities, count: 3, limit: 2)])
        #expect(await fixture.cache.entityCount() == 3)
        try await fixture.input.feed([Self.change(3, 3)])
        try await fixture.cache.enforceLimits()
        #expect(await delegate.checks.last == EvictionCheck(tier: .entities, count: 4, limit: 2))
        #expect(await delegate.checks.count == 2)
        #expect(try await misses(fixture, 0..<4) == [0: .evicted, 1: .evicted])
    }

    @Test func `a question about memory delays nothing, and its answer is applied`() async throws {
        let delegate = Delegate([false, true])
        let fixture = try await QueryFixture.open {
            $0.memoryByteCountMax = 0
            $0.eviction.willEvict = { await delegate.answer($0) }
        }
        try await fixture.input.feed((0..<3).map { Self.change($0, $0) })
        try await fixture.cache.flush()
        #expect(await eventually { await fixture.cache.eviction.memoryTask == nil })
        #expect(await fixture.cache.residentCount == 3)
        #expect(try await misses(fixture, 0..<3) == [:])
        #expect(await delegate.checks.map(\.tier) == [.memory])
        try await fixture.input.feed([Self.change(3, 3)])
        try await fixture.cache.flush()
        #expect(await eventually { await fixture.cache.residentCount == 0 })
        #expect(await delegate.checks.map(\.tier) == [.memory, .memory])
    }

    @Test func `the end of a scan evicts the oldest of a whole window, not one of the last rows`() async throws {
        let fixture = try await QueryFixture.open {
            $0.eviction.entityCountMax = 2_500
            $0.memoryByteCountMax = 0
        }
        for group in [1_000..<2_000, 2_000..<3_000, 3_000..<3_500] {
            try await fixture.input.feed(group.map { Self.change($0, $0) })
            try await fixture.cache.enforceLimits()
            fixture.clock.advance(milliseconds: 1)
        }
        // The first two windows have 1,000 rows each; behind the second one there are 500, all of them newer.
        for id in 4_000..<4_003 {
            try await fixture.input.feed([Self.change(id, id)])
            try await fixture.cache.enforceLimits()
        }
        #expect(await fixture.cache.entityCount() == 2_500)
        let evicted = try await misses(fixture, 1_000..<3_500)
        #expect(evicted.count == 3 && evicted.keys.allSatisfy { $0 < 3_000 }, "\(evicted)")
    }

    @Test func `remembered evicted keys are bounded`() async throws {
        let fixture = try await QueryFixture.open {
            $0.eviction.entityCountMax = 0
            $0.limits.evictedKeyCountMax = 2
        }
        for id in 0..<4 {
            try await fixture.input.feed([Self.change(id, id)])
            try await fixture.cache.enforceLimits()
        }
        #expect(try await misses(fixture, 0..<4) == [0: .absent, 1: .absent, 2: .evicted, 3: .evicted])
    }

    @Test func `a disk limit shrinks the file, and the remaining entities are right`() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path("cache.db")
        let limit: Int64 = 512 << 10
        var configuration = CacheConfiguration()
        configuration.logger.logLevel = .critical
        configuration.eviction.diskByteCountMax = limit
        configuration.memoryByteCountMax = 64 << 10
        let journal = try await SQLiteJournal.open(path: path)
        let clock = ManualClock()
        let cache = try await SyncCache.open(configuration: configuration, journal: journal, clock: clock)
        let input = try await HandInput(into: cache)
        var random = SeededGenerator(seed: 5)
        let texts = (0..<6_000).map { id in
            #"{"id":"k\#(id)","n":"\#((0..<12).map { _ in String(random.next(), radix: 16) }.joined())"}"#
        }
        for start in stride(from: 0, to: texts.count, by: 500) {
            try await input.feed(
                texts[start..<start + 500].map {
                    EventLine.change($0, library: "a")
                })
            // Not only a flush: an eviction that runs beside the next lines counts those that are not written yet, and
            // the number of entities that are left depends on the machine.
            try await cache.enforceLimits()
            // Entities of one time are evicted in no order.
            clock.advance(by: .seconds(1))
        }
        let size = try await journal.size()
        #expect(size.fileByteCount <= limit && size.usedByteCount <= limit)
        #expect(size.usedByteCount > limit * 3 / 4, "\(size.usedByteCount) bytes are used")
        let count = Int(await cache.entityCount())
        // Few more entities than needed were evicted: those that are left fill the file, in which an entity takes twice
        // its JSON at most, as one that is not packed yet.
        let byteCountMax = texts.reduce(0) { $0 + $1.utf8.count } / texts.count * 2
        #expect(count > Int(limit) * 3 / 4 / byteCountMax && count < 4_500, "\(count) entities")
        var found = 0
        for (id, text) in texts.enumerated() {
            let read = try await cache.read(Self.key(id), fields: nil)
            guard let entity = read.entity else {
                #expect(read.miss == .evicted)
                continue
            }
            found += 1
            #expect(String(decoding: entity, as: UTF8.self) == text)
        }
        #expect(found == count)
        #expect(try await cache.read(Self.key(5_999), fields: nil).miss == nil)
        #expect(try await cache.read(Self.key(0), fields: nil).miss == .evicted)
        try await cache.close()
        let report = try SQLiteReader(path: path).verify()
        #expect(report.isSound)
    }

    @Test func `a file that is larger than its new limit shrinks when it is opened`() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path("cache.db")
        var random = SeededGenerator(seed: 6)
        var configuration = CacheConfiguration()
        configuration.logger.logLevel = .critical
        let first = try await SyncCache.open(
            configuration: configuration, journal: try await SQLiteJournal.open(path: path), clock: ManualClock())
        let input = try await HandInput(into: first)
        try await input.feed(
            (0..<6_000).map { id in
                let text = (0..<12).map { _ in String(random.next(), radix: 16) }.joined()
                return EventLine.change(#"{"id":"k\#(id)","n":"\#(text)"}"#, library: "a")
            })
        try await first.close()
        let limit: Int64 = 400 << 10
        configuration.eviction.diskByteCountMax = limit
        let journal = try await SQLiteJournal.open(path: path)
        #expect(try await journal.size().fileByteCount > 2 * limit)
        let again = try await SyncCache.open(configuration: configuration, journal: journal, clock: ManualClock())
        try await again.enforceLimits()
        let size = try await journal.size()
        #expect(size.fileByteCount <= limit)
        let count = await again.entityCount()
        #expect(count > 500 && count < 3_500)
        #expect(await again.statistics().evictionCount == 6_000 - Int(count))
        try await again.close()
        let report = try SQLiteReader(path: path).verify()
        #expect(report.isSound && report.entityCount == count)
    }

    @Test(arguments: TestScale.seeds(12))
    func `under random evictions a read returns the server's last state or a miss, never a part`(seed: UInt64)
        async throws
    {
        var random = SeededGenerator(seed: seed ^ 0x0E71)
        let store = MemoryJournal.Store()
        let memory = random.pick([0, 2_000, 1 << 30])
        let entityCountMax = Int64(random.pick([0, 3, 10]))
        let restarts = random.chance(500)
        let clock = ManualClock()
        func reopened() async throws -> QueryFixture {
            try await QueryFixture.open(MemoryJournal(store: store), clock: clock, hasUpstream: false) {
                $0.memoryByteCountMax = memory
                $0.eviction.entityCountMax = entityCountMax
            }
        }
        var fixture = try await reopened()
        var truth: [Int: [Int: Int]] = [:]
        var lists: [String: [Int]] = [:]
        var observed: [Int]?
        var sink = FoldingSink()
        func resource(_ id: Int) -> String {
            let fields = (truth[id] ?? [:]).sorted { $0.key < $1.key }
            return "{\"id\":\"k\(id)\"" + fields.map { ",\"v\($0.key)\":\($0.value)" }.joined() + "}"
        }
        var walk = RandomWalk(seed: seed)
        while walk.next(of: 250) {
            clock.advance(milliseconds: 1)
            let id = random.below(20)
            let value = random.below(1_000)
            switch random.below(9) {
            case 0, 1:
                truth[id] = [value % 3: value]
                try await fixture.input.feed([Self.change(id, value)])
            case 2:
                truth[id] = nil
                try await fixture.input.feed([
                    EventLine.delete("k\(id)", library: "a")
                ])
                for name in lists.keys { lists[name]?.removeAll { $0 == id } }
                observed?.removeAll { $0 == id }
            case 3:
                let ids = truth.keys.sorted().prefix(4).shuffled(using: &random)
                let name = #"{"q":\#(random.below(3))}"#
                // An answer is the server's state; it restores evicted entities completely.
                try await fixture.put(ids.map(resource), name)
                lists[name] = Array(ids)
            case 4: try await fixture.cache.enforceLimits()
            case 5: try await fixture.cache.flush()
            case 6 where observed == nil:
                let ids = Array(truth.keys.sorted().suffix(3))
                try await fixture.put(ids.map(resource), #"{"q":"observed"}"#)
                _ = try await fixture.read(#"{"q":"observed"}"#, sink: sink).get()
                observed = ids
            case 7 where restarts && random.chance(200):
                try await fixture.cache.close()
                fixture = try await reopened()
                (observed, sink) = (nil, FoldingSink())
            case 8:
                guard let known = truth[id] else { continue }
                truth[id] = known.merging([value % 3: value]) { $1 }
                try await fixture.input.feed([Self.change(id, value, metadata: "{}")])
            default: break
            }
            for id in 0..<20 {
                let read = try await read(fixture, id)
                let found = read.entity.map { JSONFields($0) }
                if let found { #expect(found == JSONFields(Array(resource(id).utf8)), "\(walk)") }
                if truth[id] == nil { #expect(read.miss != nil, "\(walk)") }
                if observed?.contains(id) == true { #expect(found != nil, "\(walk)") }
            }
            for (name, ids) in lists {
                guard let found = try await fixture.stored(name) else { continue }
                #expect(
                    found.map { JSONFields(Array($0.utf8)) } == ids.map { JSONFields(Array(resource($0).utf8)) },
                    "\(walk)")
            }
            #expect(sink.problems == [], "\(walk)")
        }
        try await fixture.cache.enforceLimits()
        let pinned = Int64(observed?.count ?? 0)
        #expect(await fixture.cache.entityCount() <= max(entityCountMax, pinned), "seed \(seed)")
        await fixture.cache.checkInvariants()
        try await fixture.cache.close()
    }
}
