import Logging
import Synchronization
import TestTraits
import Testing
import TidemarkModel
import TidemarkStore
import TidemarkTestKit
import TidemarkTesting

@testable import Tidemark

/// Clocks that are set ten years forward or back while a cache is open, and clocks with impossible times.
@Suite(.pooled) struct ClockJumpTests {
    private static let tenYears: Int64 = 10 * 365 * 24 * 3_600 * 1_000
    private static let policy = CachePolicy([CachePolicy.Rules("file", maxAge: 60, fields: [:])])

    private func open(
        _ clock: ManualClock, _ journal: MemoryJournal = MemoryJournal(),
        _ configure: (inout CacheConfiguration) -> Void = { _ in }
    ) async throws -> QueryFixture {
        try await QueryFixture.open(journal, clock: clock, hasUpstream: false) {
            $0.policy = Self.policy
            configure(&$0)
        }
    }

    private func miss(_ fixture: QueryFixture, _ id: String = "f1") async throws -> EntityRead.Miss? {
        try await fixture.cache.read(Lines.key(id), fields: nil).miss
    }

    @Test(arguments: [tenYears, -tenYears])
    func `ages and lists expire in their time, whatever the clock is set to`(jump: Int64) async throws {
        let clock = ManualClock()
        let fixture = try await open(clock)
        try await fixture.input.feed([Lines.change(1)])
        try await fixture.put([#"{"id":"f2"}"#]) { $0.timeToLive = .milliseconds(30_000) }
        #expect(try await miss(fixture) == nil)
        #expect(try await fixture.isStale() == false)
        clock.advance(milliseconds: jump)
        // Ten years later everything is too old; ten years earlier nothing became newer.
        #expect(try await miss(fixture) == (jump > 0 ? .expired : nil))
        clock.advance(milliseconds: 29_999)
        if jump < 0 { #expect(try await fixture.isStale() == false) }
        clock.advance(milliseconds: 1)
        #expect(try await fixture.isStale() == true)
        clock.advance(milliseconds: 30_000)
        #expect(try await miss(fixture) == .expired)
        // An entity written after the jump is new, and ages as well.
        try await fixture.input.feed([Lines.change(2, id: "f1")])
        #expect(try await miss(fixture) == nil)
        clock.advance(milliseconds: -jump)
        // A read must happen in between: the time before a step back is unknown until the clock is read.
        _ = try await miss(fixture)
        clock.advance(milliseconds: 60_000)
        #expect(try await miss(fixture) == .expired)
        await fixture.cache.checkInvariants()
    }

    @Test(arguments: [tenYears, -tenYears])
    func `tombstones last their thirty days of the clock, and no longer`(jump: Int64) async throws {
        let day: Int64 = 24 * 3_600 * 1_000
        let clock = ManualClock()
        let fixture = try await open(clock)
        try await fixture.input.feed([Lines.change(1), Lines.delete(2, id: "f1")])
        clock.advance(milliseconds: jump)
        try await fixture.input.feed([Lines.heartbeat(2)])
        clock.advance(milliseconds: 29 * day)
        // Tombstones are checked when the next one is added.
        try await fixture.input.feed([Lines.delete(3, id: "x")])
        #expect(try await miss(fixture) == (jump > 0 ? .absent : .deleted))
        clock.advance(milliseconds: 2 * day)
        try await fixture.input.feed([Lines.delete(4, id: "y")])
        #expect(try await miss(fixture) == .absent)
        #expect(try await miss(fixture, "x") == .deleted)
    }

    @Test(arguments: [tenYears, -tenYears])
    func `a gap is declared lost when its window ends, whatever the clock is set to`(jump: Int64) async throws {
        let clock = ManualClock()
        let fixture = try await QueryFixture.open(clock: clock, hasUpstream: false) {
            $0.reorderWindow = .milliseconds(50)
        }
        let input = try await HandInput(into: fixture.cache, hasUnread: { false })
        await fixture.cache.closeInput(fixture.input.input)
        try await input.feed([Lines.change(1), Lines.change(3)])
        clock.advance(milliseconds: jump)
        let isOver = await eventually {
            clock.advance(milliseconds: 25)
            return await fixture.cache.libraries().first?.cursor == EventSequence(3)
        }
        #expect(isOver)
        #expect(
            await fixture.cache.libraries().first?.lost == [LostRange(first: EventSequence(2), last: EventSequence(2))])
    }

    @Test(arguments: [tenYears, -tenYears])
    func `an upstream is asked again after its pause, whatever the clock is set to`(jump: Int64) async throws {
        let clock = ManualClock()
        let upstream = ScriptedUpstream()
        var configuration = CacheConfiguration()
        configuration.logger.logLevel = .critical
        let cache = try await SyncCache.open(
            configuration: configuration, journal: MemoryJournal(), upstream: upstream, clock: clock)
        let input = try await HandInput(into: cache, hasUnread: { false })
        try await input.feed([Lines.change(1), Lines.heartbeat(3)])
        for attempt in 1...3 {
            let isAsked = await eventually {
                clock.advance(milliseconds: 100)
                return await upstream.asked.count == attempt
            }
            #expect(isAsked)
            clock.advance(milliseconds: jump)
            if attempt < 3 { await upstream.answer(.failure(UpstreamError("not now"))) }
        }
        await upstream.answer(lines: [Lines.change(2), Lines.change(3)])
        #expect(await cache.caughtUp(to: EventSequence(3), library: "a").lost == [])
        try await cache.close()
    }

    /// Nobody knows how old is what was written before: in each of several short runs it is too old.
    @Test func `a write from after the clock's time is too old in every run`() async throws {
        let store = MemoryJournal.Store()
        let before = try await open(ManualClock(), MemoryJournal(store: store))
        try await before.input.feed([Lines.change(1), Lines.change(2, id: "f2")])
        try await before.put([#"{"id":"f3"}"#]) { $0.timeToLive = .milliseconds(60_000) }
        try await before.cache.close()
        for run in 0..<3 {
            let clock = ManualClock(now: ManualClock().now() - Self.tenYears)
            let after = try await open(clock, MemoryJournal(store: store))
            #expect(try await miss(after, "f2") == .expired, "run \(run)")
            #expect(try await after.isStale() == true)
            // What this run writes is new, and ages as well.
            try await after.input.feed([Lines.change(Int64(run) + 3, id: "f1")])
            #expect(try await miss(after) == nil)
            clock.advance(milliseconds: 59_999)
            #expect(try await miss(after) == nil)
            clock.advance(milliseconds: 1)
            #expect(try await miss(after) == .expired)
            await after.cache.checkInvariants()
            try await after.cache.close()
        }
    }

    @Test func `a write from before the clock's time is at least as old as the clock says`() async throws {
        let store = MemoryJournal.Store()
        let clock = ManualClock()
        let before = try await open(clock, MemoryJournal(store: store))
        try await before.input.feed([Lines.change(1)])
        clock.advance(milliseconds: 10_000)
        try await before.input.feed([Lines.change(2, id: "f2")])
        try await before.cache.close()
        // Five seconds after the first write and five before the second.
        clock.advance(milliseconds: -5_000)
        let after = try await open(clock, MemoryJournal(store: store))
        #expect(try await miss(after) == nil)
        #expect(try await miss(after, "f2") == .expired)
        clock.advance(milliseconds: 50_000)
        #expect(try await miss(after) == .expired)
        try await after.cache.close()
    }

    @Test(arguments: TestScale.seeds(200))
    func `the cache's time never goes back under random jumps, and follows every step forward`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let clock = ManualClock(now: Int64(random.below(1 << 40)))
        let forward = ForwardClock(clock, after: nil)
        var expected = forward.now()
        var walk = RandomWalk(seed: seed)
        while walk.next(of: 100) {
            let step = Int64(random.below(3) == 0 ? random.below(Int(Self.tenYears)) : random.below(1_000))
            let isBack = random.chance(400)
            clock.advance(milliseconds: isBack ? -step : step)
            // A step back does not count; a step forward counts in full.
            if !isBack { expected += step }
            #expect(forward.now() == expected, "\(walk)")
        }
    }

    /// A clock with one fixed time, which wakes no sleeper.
    private final class FixedClock: CacheClock {
        private let time: Mutex<Int64>

        init(_ time: Int64) { self.time = Mutex(time) }

        func now() -> Int64 { time.withLock { $0 } }
        func set(_ other: Int64) { time.withLock { $0 = other } }

        func sleep(milliseconds: Int64) async throws(CancellationError) {
            precondition(milliseconds >= 0, "a pause of \(milliseconds) ms")
            if Task.isCancelled { throw CancellationError() }
            await Task.yield()
        }
    }

    @Test(arguments: [Int64.min, -1, 0, 1 << 53, .max - 1, .max])
    func `no reading of a clock and no span of a host ends a cache`(time: Int64) async throws {
        let clock = FixedClock(time)
        let store = MemoryJournal.Store()
        for other in [time, 1_700_000_000_000, .max, .min, time] {
            var configuration = CacheConfiguration()
            configuration.logger.logLevel = .critical
            configuration.policy = CachePolicy([CachePolicy.Rules("file", maxAge: Int(Int32.max), fields: ["n": 0])])
            configuration.limits.tombstoneAgeMax = random(other)
            configuration.reorderWindow = .milliseconds(50)
            let cache = try await SyncCache.open(
                configuration: configuration, journal: MemoryJournal(store: store), clock: clock)
            clock.set(other)
            let input = try await HandInput(into: cache, hasUnread: { false })
            let next = (await cache.libraries().first?.cursor?.rawValue ?? 0) + 1
            try await input.feed([
                Lines.change(next), Lines.delete(next + 1, id: "f0"), Lines.change(next + 4), Lines.heartbeat(next + 9),
            ])
            for span in [0, 1, Int64.max] {
                var result = QueryFixture.result([#"{"id":"q"}"#])
                result.timeToLive = .milliseconds(span)
                let key = try QueryFixture.key("\(span)")
                try await cache.store(result, for: key)
                var request = QueryRequest(key, policy: .cacheOnly)
                request.maxStale = .milliseconds(span)
                request.maxAges = ["file": .max, "file.n": .max]
                request.refreshes = true
                let sink = FoldingSink()
                await cache.read(request, observing: sink, reply: { _ in })
                var read = EntityRequest(Lines.key("f\(next)"))
                read.maxStale = .milliseconds(span)
                read.maxAges = ["file": Int(span)]
                _ = try await cache.read(read)
                await cache.detach(sink)
            }
            _ = try await cache.explain(Lines.key("f\(next)"))
            try await cache.endOfInput()
            await cache.checkInvariants()
            try await cache.close()
        }
    }

    private func random(_ time: Int64) -> Int64 { time % 2 == 0 ? .max : 0 }
}
