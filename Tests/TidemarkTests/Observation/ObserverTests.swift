import TestTraits
import Testing
import Tidemark
import TidemarkModel
import TidemarkTestKit
import TidemarkTesting

/// The notifications that observers of a cache get, and those that they do not get.
@Suite(.pooled) struct ObserverTests {
    private static func change(_ sequence: Int64, _ id: String, _ v: Int64) -> String {
        EventLine.change(#"{"id":"\#(id)","v":\#(v),"w":\#(v % 2)}"#, library: "a", sequence: sequence)
    }

    private static func rule(_ rest: String = "") -> [UInt8] {
        Array(#"{"resource_type":"file","order":[{"path":"/v","direction":"desc"}]\#(rest)}"#.utf8)
    }

    private func observe(
        _ fixture: QueryFixture, _ sink: FoldingSink, _ input: String = "{}", select: [ByteString]? = nil
    ) async throws -> SubscriptionID {
        let reply = try await fixture.begin(input, .cacheOnly, sink: sink) {
            $0.allowsStale = true
            if let select { $0.select = ["file": select] }
        }
        return try #require(reply.subscription)
    }

    @Test func `an observer that sleeps through 100,000 events delays none, costs little and ends right`()
        async throws
    {
        let fixture = try await QueryFixture.open()
        try await fixture.put([#"{"id":"k0","v":0,"w":0}"#]) {
            $0.membership = Self.rule(#","where":{"path":"/w","eq":0},"limit":20"#)
        }
        let (slow, fast) = (FoldingSink(), FoldingSink())
        slow.setRoom(3)
        let sleeper = try await observe(fixture, slow)
        let other = try await observe(fixture, fast)
        let eventCount: Int64 = 100_000
        var keyCountMax = 0
        var sequence: Int64 = 0
        while sequence < eventCount {
            // Elements enter and leave all the time: 5,000 pass through the list.
            let lines = (0..<2_000).map { offset in
                let next = sequence + Int64(offset) + 1
                return Self.change(next, "k\(next % 5_000)", next % 7)
            }
            try await fixture.input.feed(lines)
            sequence += Int64(lines.count)
            let size = await fixture.cache.observationSize
            keyCountMax = max(keyCountMax, size.namedKeyCount)
            #expect(size.rememberedCount <= 20)
        }
        // The bound is the number of keys that two lists of twenty and their reserve can name.
        #expect(keyCountMax <= 20 + 52)
        let told = try #require(fast.observer(other))
        #expect(slow.observer(sleeper)?.toldCount == 3)
        #expect(slow.refusedCount == 1)
        slow.setRoom(nil)
        await fixture.cache.resume(slow)
        let woken = try #require(slow.observer(sleeper))
        let answer = try await fixture.read("{}") { $0.allowsStale = true }.get()
        #expect(woken.list == answer.answer.entities)
        #expect(told.list == answer.answer.entities)
        #expect(woken.isStale == answer.answer.isStale)
        #expect(woken.toldCount == 4)
        #expect(woken.toldCount + woken.missedCount == told.toldCount)
        #expect(slow.problems + fast.problems == [])
        try await fixture.cache.cancel(sleeper)
        try await fixture.cache.cancel(other)
        try await fixture.cache.clear(library: nil)
        #expect(await fixture.cache.observationSize.namedKeyCount == 0)
    }

    @Test func `a slow observer of some fields counts only missed changes of these fields`()
        async throws
    {
        let fixture = try await QueryFixture.open()
        try await fixture.put([#"{"id":"x","v":0,"w":0}"#])
        let (slow, fast) = (FoldingSink(), FoldingSink())
        let sleeper = try await observe(fixture, slow, select: ["w"])
        let other = try await observe(fixture, fast, select: ["w"])
        slow.setRoom(0)
        // The field `w` changes only with every second event.
        try await fixture.input.feed((1...11).map { Self.change($0, "x", $0 / 2) })
        slow.setRoom(nil)
        await fixture.cache.resume(slow)
        #expect(fast.observer(other)?.toldCount == 5)
        #expect(slow.observer(sleeper)?.toldCount == 1)
        #expect(slow.observer(sleeper)?.missedCount == 4)
        #expect(slow.observer(sleeper)?.list == [Array(#"{"w":1}"#.utf8)])
        #expect(slow.problems + fast.problems == [])
    }

    @Test
    func `two observers that lag since different times get and miss the right changes`()
        async throws
    {
        let fixture = try await QueryFixture.open()
        try await fixture.put([#"{"id":"x","v":0,"w":0}"#, #"{"id":"y","v":0,"w":0}"#])
        let (first, second, fast) = (FoldingSink(), FoldingSink(), FoldingSink())
        let early = try await observe(fixture, first)
        let late = try await observe(fixture, second)
        let other = try await observe(fixture, fast)
        first.setRoom(0)
        second.setRoom(5)
        // The early observer lags from the first change on, the late one from the sixth; then the fast one is
        // cancelled, and no observer is notified any more.
        try await fixture.input.feed((1...10).map { Self.change($0, $0 % 2 == 0 ? "x" : "y", $0) })
        #expect(fast.observer(other)?.toldCount == 10)
        try await fixture.cache.cancel(other)
        try await fixture.input.feed((11...50).map { Self.change($0, $0 % 2 == 0 ? "x" : "y", $0) })
        // The elements have the values that they had when the late observer began to lag.
        try await fixture.input.feed([Self.change(51, "y", 5), Self.change(52, "x", 4)])
        second.setRoom(nil)
        await fixture.cache.resume(second)
        #expect(second.observer(late)?.toldCount == 5)
        #expect(second.observer(late)?.missedCount == 0)
        try await fixture.input.feed([Self.change(53, "x", 53)])
        #expect(second.observer(late)?.toldCount == 6)
        first.setRoom(nil)
        await fixture.cache.resume(first)
        #expect(first.observer(early)?.toldCount == 1)
        #expect(first.observer(early)?.missedCount == 52)
        let answer = try await fixture.read("{}") { $0.allowsStale = true }.get()
        #expect(first.observer(early)?.list == answer.answer.entities)
        #expect(second.observer(late)?.list == answer.answer.entities)
        #expect(first.problems + second.problems + fast.problems == [])
    }

    @Test func `an element's first change while all observers lag is also notified, in a batch or alone`() async throws
    {
        let fixture = try await QueryFixture.open()
        try await fixture.put(["x", "y", "z"].map { #"{"id":"\#($0)","v":0,"w":0}"# })
        let slow = FoldingSink()
        let sleeper = try await observe(fixture, slow)
        slow.setRoom(0)
        try await fixture.input.feed([Self.change(1, "x", 1)])
        // A batch that leaves `y` unchanged has notified no observer of its old value.
        let batch =
            #"{"library_id":"a","sequence":2,"event":{"ResourceBatchChanged":{"resource_type":"file","resources":["#
            + #"{"id":"y","v":7,"w":7},{"id":"x","v":2,"w":0},{"id":"y","v":0,"w":0}]}}}"#
        try await fixture.input.feed([batch])
        try await fixture.input.feed([Self.change(3, "x", 3)])
        try await fixture.input.feed([Self.change(4, "y", 4)])
        try await fixture.input.feed([Self.change(5, "y", 5)])
        slow.setRoom(nil)
        await fixture.cache.resume(slow)
        let answer = try await fixture.read("{}") { $0.allowsStale = true }.get()
        #expect(slow.observer(sleeper)?.list == answer.answer.entities)
        #expect(slow.observer(sleeper)?.toldCount == 1)
        #expect(slow.observer(sleeper)?.missedCount == 4)
        #expect(slow.problems == [])
    }

    @Test func `an event that changes an element and makes its list stale counts once as missed`() async throws {
        let fixture = try await QueryFixture.open()
        try await fixture.put([#"{"id":"x","v":0,"w":0}"#])
        let (slow, fast) = (FoldingSink(), FoldingSink())
        let sleeper = try await observe(fixture, slow)
        slow.setRoom(0)
        try await fixture.input.feed([Self.change(1, "x", 1), Self.change(2, "x", 2)])
        let index =
            #"{"library_id":"a","sequence":3,"event":{"ResourceBatchChanged":{"resource_type":"file","#
            + #""resources":[{"id":"x","v":3,"w":1}],"operation":"Index"}}}"#
        try await fixture.input.feed([index])
        let other = try await observe(fixture, fast)
        #expect(fast.observer(other)?.list == [Array(#"{"id":"x","v":3,"w":1}"#.utf8)])
        slow.setRoom(nil)
        await fixture.cache.resume(slow)
        #expect(slow.observer(sleeper)?.toldCount == 1)
        #expect(slow.observer(sleeper)?.missedCount == 2)
        #expect(slow.observer(sleeper)?.isStale == true)
        #expect(fast.observer(other)?.isStale == true)
        #expect(slow.observer(sleeper)?.list == fast.observer(other)?.list)
        #expect(slow.problems + fast.problems == [])
    }

    @Test func `an expired list notifies its observers at once, with an empty patch`() async throws {
        let fixture = try await QueryFixture.open()
        try await fixture.put([#"{"id":"x"}"#]) { $0.timeToLive = .milliseconds(500) }
        let (sink, late) = (FoldingSink(), FoldingSink())
        let early = try await observe(fixture, sink)
        fixture.clock.advance(milliseconds: 499)
        for _ in 0..<1_000 { await Task.yield() }
        #expect(sink.observer(early)?.toldCount == 0)
        #expect(try await fixture.isStale() == false)
        fixture.clock.advance(milliseconds: 1)
        #expect(await eventually { sink.observer(early)?.isStale == true })
        #expect(sink.observer(early)?.emptyCount == 1)
        let second = try await observe(fixture, late)
        #expect(late.observer(second)?.isStale == true)
        try await fixture.put([#"{"id":"x"}"#]) { $0.timeToLive = .milliseconds(500) }
        #expect(sink.observer(early)?.isStale == false)
        #expect(late.observer(second)?.isStale == false)
        fixture.clock.advance(milliseconds: 500)
        #expect(await eventually { sink.observer(early)?.isStale == true && late.observer(second)?.isStale == true })
        #expect(sink.observer(early)?.toldCount == 3)
        #expect(sink.problems + late.problems == [])
    }

    @Test func `an observer of a cleared query is notified of its next answer`() async throws {
        let fixture = try await QueryFixture.open()
        try await fixture.put([#"{"id":"x"}"#])
        let sink = FoldingSink()
        let subscription = try await observe(fixture, sink)
        try await fixture.cache.clear(library: nil)
        #expect(sink.observer(subscription)?.list == [])
        #expect(sink.observer(subscription)?.isStale == true)
        #expect(try await fixture.stored() == nil)
        try await fixture.put([#"{"id":"y"}"#])
        #expect(sink.observer(subscription)?.list == [Array(#"{"id":"y"}"#.utf8)])
        #expect(sink.observer(subscription)?.isStale == false)
        #expect(sink.problems == [])
    }

    @Test func `a removed entity leaves an observed list, which misses, and later returns to its place`()
        async throws
    {
        let fixture = try await QueryFixture.open()
        try await fixture.put(["x", "y", "z"].map { #"{"id":"\#($0)","v":1}"# })
        let sink = FoldingSink()
        let subscription = try await observe(fixture, sink)
        var removal = Removal(library: "a")
        removal.resourceType = "file"
        removal.ids = ["y"]
        #expect(try await fixture.cache.remove(removal) == 1)
        #expect(sink.observer(subscription)?.list.count == 2)
        #expect(sink.observer(subscription)?.isStale == true)
        #expect(try await fixture.stored() == nil)
        try await fixture.input.feed([Self.change(1, "y", 2)])
        #expect(
            sink.observer(subscription)?.list.map { String(decoding: $0, as: UTF8.self) } == [
                #"{"id":"x","v":1}"#, #"{"id":"y","v":2,"w":0}"#, #"{"id":"z","v":1}"#,
            ])
        #expect(sink.observer(subscription)?.isStale == false)
        #expect(sink.problems == [])
    }

    @Test func `observers of libraries are notified of a lost gap, and of the query that ends it`() async throws {
        let fixture = try await QueryFixture.open()
        let sink = FoldingSink()
        await fixture.cache.observeLibraries(sink)
        try await fixture.input.feed([Self.change(1, "x", 1), Self.change(3, "x", 3)])
        try await fixture.cache.endOfInput()
        try await fixture.put([#"{"id":"x"}"#])
        #expect(sink.statuses.map(\.phase) == [.live, .gap, .stale, .live])
        #expect(sink.statuses.last?.lost.count == 1)
    }

    @Test func `an observed list keeps its entities in memory`() async throws {
        let fixture = try await QueryFixture.open { $0.memoryByteCountMax = 0 }
        try await fixture.put((0..<8).map { #"{"id":"k\#($0)","v":\#($0)}"# }) {
            $0.membership = Self.rule(#","limit":4"#)
        }
        let sink = FoldingSink()
        let subscription = try await observe(fixture, sink)
        try await fixture.cache.flush()
        let before = await fixture.cache.evictedCount
        for sequence in 1...8 as ClosedRange<Int64> {
            try await fixture.input.feed([Self.change(sequence, "k\(8 - sequence)", 100 - sequence)])
            try await fixture.cache.flush()
        }
        #expect(await fixture.cache.evictedCount == before)
        try await fixture.cache.cancel(subscription)
        try await fixture.input.feed([Self.change(9, "other", -100)])
        try await fixture.cache.flush()
        #expect(await fixture.cache.evictedCount > before)
        #expect(sink.problems == [])
    }

    @Test(arguments: [false, true])
    func `after a restart a local query is filled from the disk, complete or absent`(
        isCrashed: Bool
    ) async throws {
        let journal = MemoryJournal()
        let first = try await QueryFixture.open(journal)
        try await first.input.feed((1...9).map { Self.change($0, "k\($0)", $0) })
        try await first.cache.close()
        let paused = MemoryJournal(store: journal.store)
        let second = try await QueryFixture.open(paused)
        let local: @Sendable (inout QueryResult) -> Void = {
            $0.isLocal = true
            $0.membership = Self.rule(#","where":{"path":"/w","eq":1}"#)
        }
        let wanted = [9, 7, 5, 3, 1].map { #"{"id":"k\#($0)","v":\#($0),"w":1}"# }
        if isCrashed {
            // Entities on the disk must not be taken for the whole list while it is still being completed.
            await paused.pauseLoads()
            let put = Task { try await second.put([], "{}", local) }
            await paused.waitUntilHeld()
            try await second.cache.flush()
            let third = try await QueryFixture.open(MemoryJournal(store: journal.store))
            #expect(try await third.stored() == nil)
            await paused.resumeLoads()
            try await put.value
        } else {
            try await second.put([], "{}", local)
        }
        #expect(try await second.stored() == wanted)
        try await second.cache.flush()
        let fourth = try await QueryFixture.open(MemoryJournal(store: journal.store))
        #expect(try await fourth.stored() == wanted)
        #expect(try await fourth.isStale() == false)
    }
}
