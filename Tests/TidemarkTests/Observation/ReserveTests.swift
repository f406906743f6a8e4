import TestTraits
import Testing
import TidemarkModel
import TidemarkSQLite
import TidemarkTestKit
import TidemarkTesting

@testable import Tidemark

/// An observed list that is evaluated over the store keeps what its observers see in memory, and what may take its
/// place. Laws: L6, L8, L9.
@Suite(.pooled) struct ReserveTests {
    /// The entities that stay in memory with a limit of 3: these and a reserve of 32.
    private static let pinnedCount = 35

    private static func resource(_ number: Int, _ value: Int? = nil) -> String {
        #"{"id":"k\#(number)","n":\#(value ?? number),"w":\#((value ?? number) / 1_000_000)}"#
    }

    private static func change(_ number: Int, _ value: Int? = nil) -> String {
        EventLine.change(resource(number, value), library: "a")
    }

    private static func delete(_ number: Int) -> String {
        EventLine.delete("k\(number)", library: "a")
    }

    private func putList(_ fixture: QueryFixture, _ rest: String = #","limit":3"#) async throws {
        try await fixture.put([]) {
            $0.isLocal = true
            $0.membership = Array(#"{"resource_type":"file","order":[{"path":"/n"}]\#(rest)}"#.utf8)
        }
    }

    private func observe(
        _ fixture: QueryFixture, _ sink: FoldingSink, select: [ByteString]? = nil
    ) async throws -> SubscriptionID {
        let reply = try await fixture.begin("{}", .cacheOnly, sink: sink) {
            if let select { $0.select = ["file": select] }
        }
        #expect(await eventually { reply.isThere })
        return try #require(reply.subscription)
    }

    private func list(_ sink: FoldingSink, _ subscription: SubscriptionID) -> [String]? {
        sink.observer(subscription)?.list.map { String(decoding: $0, as: UTF8.self) }
    }

    private func rest(_ fixture: QueryFixture) async throws {
        try await fixture.cache.flush()
        #expect(await eventually { await fixture.cache.isAtRest })
        await fixture.cache.checkInvariants()
    }

    /// A cache over a file with 2,000 entities, of which an observer sees three.
    private func crowd(
        _ folder: TemporaryFolder, observedFirst: Bool, _ configure: (inout CacheConfiguration) -> Void
    ) async throws -> (fixture: QueryFixture, sink: FoldingSink, subscription: SubscriptionID) {
        let journal = try await SQLiteJournal.open(path: folder.path("cache.db"))
        let fixture = try await QueryFixture.open(journal, hasUpstream: false, configure)
        let sink = FoldingSink()
        try await putList(fixture)
        var subscription: SubscriptionID?
        if observedFirst { subscription = try await observe(fixture, sink) }
        for start in stride(from: 0, to: 2_000, by: 50) {
            try await fixture.input.feed((start..<start + 50).map { Self.change($0) })
        }
        try await rest(fixture)
        if subscription == nil { subscription = try await observe(fixture, sink) }
        try await rest(fixture)
        return (fixture, sink, try #require(subscription))
    }

    @Test(arguments: [true, false])
    func `a list of three over 2,000 entities keeps 35 in memory, whatever leaves them`(observedFirst: Bool)
        async throws
    {
        let folder = try TemporaryFolder()
        let (fixture, sink, subscription) = try await crowd(folder, observedFirst: observedFirst) {
            $0.memoryByteCountMax = 0
        }
        #expect(await fixture.cache.residentCount == Self.pinnedCount)
        #expect(await fixture.cache.entityCount() == 2_000)
        #expect(list(sink, subscription) == (0..<3).map { Self.resource($0) })
        // One that leaves is replaced, one that comes pushes another one out.
        try await fixture.input.feed([Self.delete(0), Self.change(1_999, -1), Self.change(1, 5_000)])
        #expect(list(sink, subscription) == [Self.resource(1_999, -1), Self.resource(2), Self.resource(3)])
        try await rest(fixture)
        #expect(await fixture.cache.residentCount == Self.pinnedCount)
        try await fixture.cache.cancel(subscription)
        try await fixture.input.feed([Self.change(7, 8_000)])
        try await rest(fixture)
        #expect(await fixture.cache.residentCount == 0)
        #expect(sink.problems == [])
        try await fixture.cache.close()
    }

    @Test func `a list without a limit keeps all that its observers see in memory`() async throws {
        let fixture = try await QueryFixture.open { $0.memoryByteCountMax = 0 }
        try await fixture.input.feed((0..<200).map { Self.change($0) })
        try await putList(fixture, "")
        let subscription = try await observe(fixture, FoldingSink())
        try await rest(fixture)
        #expect(await fixture.cache.residentCount == 200)
        try await fixture.cache.cancel(subscription)
    }

    @Test func `a limit of both tiers holds while a list over all of it is observed`() async throws {
        let folder = try TemporaryFolder()
        let (fixture, sink, subscription) = try await crowd(folder, observedFirst: true) {
            $0.eviction.entityCountMax = 100
        }
        try await fixture.cache.enforceLimits()
        #expect(await fixture.cache.entityCount() == 100)
        // What is pinned was never evicted, and a list that is evaluated over the store is as true as that.
        #expect(list(sink, subscription) == (0..<3).map { Self.resource($0) })
        for number in 0..<Self.pinnedCount {
            let key = EntityKey(library: "a", type: "file", id: ByteString("k\(number)"))
            #expect(try await fixture.cache.read(key, fields: nil).miss == nil)
        }
        #expect(sink.problems == [])
        await fixture.cache.checkInvariants()
        try await fixture.cache.close()
    }

    @Test(arguments: [nil, ["n"] as [ByteString]])
    func `when more goes at once than is kept behind the limit, the observer is told once, of what there is then`(
        select: [ByteString]?
    ) async throws {
        let folder = try TemporaryFolder()
        let (fixture, _, _) = try await crowd(folder, observedFirst: true) { $0.memoryByteCountMax = 0 }
        let sink = FoldingSink(keepsTraces: true)
        let subscription = try await observe(fixture, sink, select: select)
        func seen(_ numbers: Range<Int>) -> [[UInt8]] {
            numbers.map { Array((select == nil ? Self.resource($0) : #"{"n":\#($0)}"#).utf8) }
        }
        // A batch puts a hundred behind all others, then a transaction deletes a hundred.
        let batch = (0..<100).map { Self.resource($0, 10_000 + $0) }.joined(separator: ",")
        try await fixture.input.feed([
            #"{"library_id":"a","event":{"ResourceBatchChanged":{"resource_type":"file","resources":[\#(batch)]}}}"#
        ])
        try await rest(fixture)
        try await fixture.cache.transact(
            (100..<200).map { .delete(type: "file", id: ByteString("k\($0)")) }, library: "a")
        try await rest(fixture)
        let observer = try #require(sink.observer(subscription))
        #expect(observer.trace.map(\.list) == [seen(0..<3), seen(100..<103), seen(200..<203)])
        #expect(observer.missedCount == 0)
        #expect(await fixture.cache.residentCount == Self.pinnedCount)
        #expect(sink.problems == [])
        try await fixture.cache.close()
    }

    /// A cache over a journal that can be held back, with an observer; everything else is on the disk only.
    private func heldBed(
        _ count: Int, _ sink: FoldingSink
    ) async throws -> (fixture: QueryFixture, journal: MemoryJournal, subscription: SubscriptionID) {
        let journal = MemoryJournal()
        let fixture = try await QueryFixture.open(journal, hasUpstream: false) { $0.memoryByteCountMax = 0 }
        try await fixture.input.feed((0..<count).map { Self.change($0) })
        try await rest(fixture)
        try await putList(fixture)
        let subscription = try await observe(fixture, sink)
        try await rest(fixture)
        #expect(await fixture.cache.residentCount == Self.pinnedCount)
        return (fixture, journal, subscription)
    }

    @Test func `an observer waits for the disk, misses what is merged, and others of its sink do not wait`()
        async throws
    {
        let sink = FoldingSink(keepsTraces: true)
        let (fixture, journal, subscription) = try await heldBed(200, sink)
        let some = FoldingSink()
        let selecting = try await observe(fixture, some, select: ["n"])
        // Of another type, so that it is no element of the first.
        let other = try QueryFixture.key(#"{"q":1}"#)
        var result = QueryResult(resourceType: "tag", resources: [Array(#"{"id":"t"}"#.utf8)])
        result.timeToLive = nil
        try await fixture.cache.store(result, for: other)
        let beside = try #require(try await fixture.begin(#"{"q":1}"#, .cacheOnly, sink: sink).subscription)
        await journal.pauseLoads()
        // Each that goes makes one come into the reserve; the last two come into sight.
        for number in 0..<Self.pinnedCount {
            try await fixture.input.feed([Self.delete(number)])
            #expect(list(sink, subscription)?.first == Self.resource(min(number + 1, 32)), "\(number)")
        }
        await journal.waitUntilHeld()
        // What happens to an element meanwhile is merged, too.
        #expect(sink.observer(subscription)?.toldCount == 32)
        await fixture.cache.deliverAll(to: sink)
        await fixture.cache.resume(sink)
        #expect(sink.observer(subscription)?.toldCount == 32)
        try await fixture.input.feed([
            EventLine.change(#"{"id":"t","v":1}"#, type: "tag", library: "a")
        ])
        #expect(list(sink, beside) == [#"{"id":"t","v":1}"#])
        await fixture.cache.checkInvariants()
        await journal.resumeLoads()
        #expect(await eventually { sink.observer(subscription)?.toldCount == 33 })
        #expect(list(sink, subscription) == (35..<38).map { Self.resource($0) })
        #expect(sink.observer(subscription)?.missedCount == 2)
        #expect(list(some, selecting) == (35..<38).map { #"{"n":\#($0)}"# })
        #expect(some.observer(selecting)?.missedCount == 2)
        // Nobody is behind any more.
        try await fixture.input.feed([Self.change(500, -5)])
        #expect(list(sink, subscription)?.first == Self.resource(500, -5))
        try await rest(fixture)
        #expect(sink.problems + some.problems == [])
    }

    @Test func `a sink without room is told when it has some, though the disk was slow meanwhile`() async throws {
        let sink = FoldingSink()
        let (fixture, journal, subscription) = try await heldBed(100, sink)
        sink.setRoom(0)
        try await fixture.input.feed([Self.delete(0)])
        await journal.pauseLoads()
        for number in 1..<Self.pinnedCount { try await fixture.input.feed([Self.delete(number)]) }
        await journal.waitUntilHeld()
        sink.setRoom(nil)
        // There is room, and nothing that could be told.
        await fixture.cache.resume(sink)
        #expect(list(sink, subscription) == (0..<3).map { Self.resource($0) })
        await journal.resumeLoads()
        #expect(await eventually { sink.observer(subscription)?.toldCount == 1 })
        #expect(list(sink, subscription) == (35..<38).map { Self.resource($0) })
        try await rest(fixture)
        #expect(sink.problems == [])
    }

    @Test func `a disk that fails is asked again`() async throws {
        let sink = FoldingSink()
        let (fixture, journal, subscription) = try await heldBed(100, sink)
        await journal.failLoads(StorageError(.inputOutput, "no disk", advice: "wait"))
        for number in 0..<Self.pinnedCount { try await fixture.input.feed([Self.delete(number)]) }
        #expect(sink.observer(subscription)?.toldCount == 32)
        await journal.failLoads(nil)
        #expect(
            await eventually {
                fixture.clock.advance(milliseconds: 1_000)
                return sink.observer(subscription)?.toldCount == 33
            })
        #expect(list(sink, subscription) == (35..<38).map { Self.resource($0) })
        try await rest(fixture)
        #expect(sink.problems == [])
        // One that cannot be loaded at all does not keep a cache from closing.
        await journal.failLoads(StorageError(.inputOutput, "no disk", advice: "wait"))
        for number in 35..<70 { try await fixture.input.feed([Self.delete(number)]) }
        try await fixture.cache.close()
    }

    @Test(arguments: [true, false])
    func `an element whose row is damaged leaves the list, and the next one is loaded`(isObserved: Bool) async throws {
        let sink = FoldingSink()
        let (fixture, journal, subscription) = try await heldBed(100, sink)
        for number in 35..<45 { await journal.damage("k\(number)") }
        if !isObserved { try await fixture.cache.cancel(subscription) }
        for number in 0..<Self.pinnedCount { try await fixture.input.feed([Self.delete(number)]) }
        try await rest(fixture)
        #expect(try await fixture.stored() == (45..<48).map { Self.resource($0) })
        if isObserved { #expect(list(sink, subscription) == (45..<48).map { Self.resource($0) }) }
        #expect(try await fixture.isStale() == false)
        let late = FoldingSink()
        let second = try await observe(fixture, late)
        #expect(list(late, second) == (45..<48).map { Self.resource($0) })
        try await rest(fixture)
        #expect(sink.problems + late.problems == [])
    }

    @Test
    func `an answer from a server takes the place of a list that was evaluated, under one rule, while it is observed`()
        async throws
    {
        let sink = FoldingSink()
        let (fixture, _, subscription) = try await heldBed(100, sink)
        let rule = Array(#"{"resource_type":"file","order":[{"path":"/n"}],"limit":3}"#.utf8)
        try await fixture.put([Self.resource(4), Self.resource(50)]) { $0.membership = rule }
        try await rest(fixture)
        #expect(list(sink, subscription) == [Self.resource(4), Self.resource(50)])
        #expect(await fixture.cache.residentCount == 2)
        try await putList(fixture)
        try await rest(fixture)
        #expect(list(sink, subscription) == (0..<3).map { Self.resource($0) })
        #expect(await fixture.cache.residentCount == Self.pinnedCount)
        #expect(sink.problems == [])
    }

    @Test func `the highest limit that a rule may have is one`() async throws {
        let fixture = try await QueryFixture.open()
        for isLocal in [true, false] {
            try await fixture.put(isLocal ? [] : [Self.resource(1)], #"{"q":\#(isLocal)}"#) {
                $0.isLocal = isLocal
                $0.membership = Array(#"{"resource_type":"file","limit":9223372036854775807}"#.utf8)
            }
            let reply = try await fixture.begin(#"{"q":\#(isLocal)}"#, .cacheOnly, sink: FoldingSink())
            #expect(await eventually { reply.isThere })
        }
        await fixture.cache.checkInvariants()
    }
}
