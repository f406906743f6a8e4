import Logging
import TestTraits
import Testing
import Tidemark
import TidemarkModel
import TidemarkReferenceModel
import TidemarkTesting

/// Confirmations and events of mutations, in any order.
///
/// - Source: Protocol/optimistic.md, settling.
@Suite(.pooled) struct OptimisticSettlingTests {
    private static func x(_ n: Int) -> String { #"{"id":"x","n":\#(n)}"# }

    private func fixture(_ journal: any Journal = MemoryJournal()) async throws -> OptimisticFixture {
        let fixture = try await OptimisticFixture.open(journal)
        try await fixture.change(1, Self.x(1))
        try await fixture.put([Self.x(1)])
        return fixture
    }

    @Test func `an echo before its confirmation settles without flicker, and the confirmation is late`() async throws {
        let fixture = try await fixture()
        let (list, entity) = (try await fixture.observe(), try await fixture.watch("x"))
        try await fixture.lay("m1", .patch("x", #"{"n":2}"#))
        try await fixture.change(2, Self.x(2), mutation: "m1")
        #expect(await fixture.layers() == [])
        #expect(try await fixture.commit("m1", confirmed: [Self.x(2)], sequence: 2) == .failed("unknown_pending"))
        #expect(fixture.trace(list) == [Self.x(1), Self.x(2)])
        #expect(fixture.told(entity) == [Self.x(2)])
        #expect(try await fixture.read("x").isPending == false)
    }

    @Test func `a confirmation before its echo settles without flicker, and events up to it change nothing`()
        async throws
    {
        let fixture = try await fixture()
        let (list, entity) = (try await fixture.observe(), try await fixture.watch("x"))
        try await fixture.lay("m1", .patch("x", #"{"n":2}"#))
        try await fixture.commit("m1", confirmed: [Self.x(2)], sequence: 3)
        #expect(await fixture.layers() == [])
        #expect(try await fixture.read("x").sequence == EventSequence(3))
        // An older write of another client comes first, then the echo.
        try await fixture.change(2, Self.x(7))
        try await fixture.change(3, Self.x(2), mutation: "m1")
        #expect(fixture.trace(list) == [Self.x(1), Self.x(2)])
        try await fixture.change(4, Self.x(5))
        #expect(fixture.trace(list) == [Self.x(1), Self.x(2), Self.x(5)])
        #expect(fixture.told(entity) == [Self.x(2), Self.x(5)])
    }

    @Test func `a layer that waits for its place stays until the log is there, without flicker`() async throws {
        let fixture = try await fixture()
        let list = try await fixture.observe()
        try await fixture.lay("m1", .patch("x", #"{"n":2}"#))
        try await fixture.commit("m1", sequence: 3)
        #expect(await fixture.layers() == ["m1 confirmed"])
        try await fixture.change(2, Self.x(7))
        #expect(await fixture.layers() == ["m1 confirmed"])
        try await fixture.change(3, Self.x(2))
        #expect(await fixture.layers() == [])
        #expect(fixture.trace(list) == [Self.x(1), Self.x(2)])
    }

    @Test func `a layer whose place was passed already settles at once`() async throws {
        let fixture = try await fixture()
        try await fixture.lay("m1", .patch("x", #"{"n":2}"#))
        try await fixture.commit("m1", sequence: 1)
        #expect(await fixture.layers() == [])
        #expect(try await fixture.shows("x") == Self.x(1))
    }

    @Test func `committing again replaces the place that a layer waits for`() async throws {
        let fixture = try await fixture()
        try await fixture.lay("m1", .patch("x", #"{"n":2}"#))
        try await fixture.commit("m1", sequence: 2)
        try await fixture.commit("m1", sequence: 4)
        try await fixture.change(2, Self.x(7))
        #expect(await fixture.layers() == ["m1 confirmed"])
        try await fixture.commit("m1", confirmed: [Self.x(9)], sequence: 3)
        #expect(try await fixture.shows("x") == Self.x(9))
        #expect(await fixture.layers() == [])
    }

    @Test func `a confirmation older than the base settles the layer and writes nothing`() async throws {
        let fixture = try await fixture()
        try await fixture.lay("m1", .patch("x", #"{"n":2}"#))
        try await fixture.change(5, Self.x(7))
        try await fixture.fixture.cache.endOfInput()
        let list = try await fixture.observe()
        try await fixture.commit("m1", confirmed: [Self.x(2)], sequence: 4)
        #expect(try await fixture.shows("x") == Self.x(7))
        #expect(try await fixture.read("x").sequence == EventSequence(5))
        #expect(fixture.trace(list).last?.hasSuffix(Self.x(7)) == true)
        // A delete that is newer than the confirmation counts as well.
        try await fixture.lay("m2", .put(Self.x(3)))
        try await fixture.delete(6, "x")
        try await fixture.commit("m2", confirmed: [Self.x(3)], sequence: 5)
        #expect(try await fixture.read("x").miss == .deleted)
        try await fixture.lay("m3", .put(Self.x(3)))
        try await fixture.commit("m3", confirmed: [Self.x(3)], sequence: 7)
        #expect(try await fixture.shows("x") == Self.x(3))
    }

    @Test func `a confirmation replaces the fields that it has, in one notification`() async throws {
        let fixture = try await OptimisticFixture.open()
        try await fixture.change(1, #"{"id":"x","n":1,"t":"s"}"#, #"{"id":"y","n":1}"#)
        try await fixture.put([#"{"id":"x"}"#, #"{"id":"y"}"#])
        let list = try await fixture.observe()
        try await fixture.lay("m1", .patch("x", #"{"n":2}"#), .patch("y", #"{"n":2}"#))
        try await fixture.commit("m1", confirmed: [#"{"id":"x","n":3}"#, #"{"id":"y","n":4,"u":5}"#], sequence: 2)
        #expect(
            fixture.trace(list) == [
                #"{"id":"x","n":1,"t":"s"} {"id":"y","n":1}"#, #"{"id":"x","n":2,"t":"s"} {"id":"y","n":2}"#,
                #"{"id":"x","n":3,"t":"s"} {"id":"y","n":4,"u":5}"#,
            ])
    }

    @Test func `a refusal of the server is a rollback to the current base`() async throws {
        let fixture = try await fixture()
        let list = try await fixture.observe()
        try await fixture.lay("m1", .patch("x", #"{"n":2}"#))
        try await fixture.change(2, #"{"id":"x","n":4,"t":"s"}"#)
        try await fixture.rollBack("m1")
        #expect(
            fixture.trace(list) == [Self.x(1), Self.x(2), #"{"id":"x","n":2,"t":"s"}"#, #"{"id":"x","n":4,"t":"s"}"#])
        #expect(try await fixture.rollBack("m1") == .failed("unknown_pending"))
        #expect(try await fixture.rollBack("never") == .failed("unknown_pending"))
        #expect(fixture.trace(list).count == 4)
    }

    @Test func `rolling back a put keeps everything that the server has`() async throws {
        let fixture = try await fixture()
        try await fixture.lay("m1", .put(#"{"id":"y","n":1}"#))
        try await fixture.change(2, #"{"id":"y","n":2}"#)
        #expect(try await fixture.shows("y") == #"{"id":"y","n":1}"#)
        try await fixture.rollBack("m1")
        #expect(try await fixture.shows("y") == #"{"id":"y","n":2}"#)
    }

    @Test func `a batch, an index operation, a Refresh and a bulk event settle the mutation that they name`()
        async throws
    {
        let fixture = try await fixture()
        for (index, event) in [
            EventLine.batch([#"{"id":"x","n":2}"#, #"{"id":"q"}"#]),
            #"{"ResourceBatchChanged":{"resource_type":"file","operation":"Index","resources":[{"id":"x","n":2}]}}"#,
            #"{"Refresh":{}}"#, #"{"BulkOperation":{"resource_type":"file"}}"#, #"{"Unheard":{}}"#,
        ].enumerated() {
            try await fixture.lay("m1", .patch("x", #"{"n":2}"#))
            try await fixture.feed(
                #"{"library_id":"a","sequence":\#(index + 2),"mutation_id":"m1","event":\#(event)}"#)
            #expect(await fixture.layers() == [], "\(event)")
        }
    }

    @Test func `another library's event settles nothing`() async throws {
        let fixture = try await fixture()
        try await fixture.lay("m1", .patch("x", #"{"n":2}"#))
        try await fixture.feed(
            EventLine.change(#"{"id":"x"}"#, library: "b", sequence: 1, mutation: "m1")
        )
        #expect(await fixture.layers() == ["m1 pending"])
    }

    @Test func `a duplicate settles nothing, and a held event settles its layer when it is applied`() async throws {
        let fixture = try await fixture()
        let list = try await fixture.observe()
        try await fixture.lay("m1", .patch("x", #"{"n":2}"#))
        try await fixture.change(1, Self.x(2), mutation: "m1")
        #expect(await fixture.layers() == ["m1 pending"])
        try await fixture.change(3, Self.x(2), mutation: "m1")
        #expect(await fixture.layers() == ["m1 pending"])
        try await fixture.change(2, Self.x(8))
        #expect(await fixture.layers() == [])
        #expect(fixture.trace(list).last == Self.x(2))
    }

    @Test func `a lost gap reaches the places that layers wait for`() async throws {
        let fixture = try await fixture()
        try await fixture.lay("m1", .patch("x", #"{"n":2}"#))
        try await fixture.commit("m1", sequence: 3)
        try await fixture.change(5, #"{"id":"y"}"#)
        #expect(await fixture.layers() == ["m1 confirmed"])
        try await fixture.fixture.cache.endOfInput()
        #expect(await fixture.layers() == [])
        #expect(try await fixture.shows("x") == Self.x(1))
    }

    @Test func `an upstream's answer settles layers as the stream would have`() async throws {
        let journal = MemoryJournal()
        let clock = ManualClock()
        let missing =
            EventLine.change(#"{"id":"x","n":2}"#, library: "a", sequence: 2, mutation: "m1")
        let upstream = ScriptedUpstream()
        var configuration = CacheConfiguration()
        configuration.logger.logLevel = .critical
        let cache = try await SyncCache.open(
            configuration: configuration, journal: journal, upstream: upstream, clock: clock)
        let fixture = OptimisticFixture(
            fixture: QueryFixture(
                cache: cache, clock: clock, upstream: ScriptedQueryUpstream(), input: try await HandInput(into: cache)))
        try await fixture.change(1, Self.x(1))
        try await fixture.put([Self.x(1)])
        let list = try await fixture.observe()
        try await fixture.lay("m1", .patch("x", #"{"n":2}"#))
        try await fixture.lay("m2", .patch("x", #"{"t":"s"}"#))
        try await fixture.commit("m2", sequence: 3)
        try await fixture.change(3, #"{"id":"x","n":2,"t":"s"}"#)
        async let end: Void = cache.endOfInput()
        await upstream.waitForQuestions(1)
        await upstream.answer(lines: [missing])
        try await end
        #expect(await fixture.layers() == [])
        #expect(fixture.trace(list) == [Self.x(1), Self.x(2), #"{"id":"x","n":2,"t":"s"}"#])
    }

    @Test func `a log that begins anew keeps layers; a place of the old log ends with the first write of the new one`()
        async throws
    {
        let fixture = try await fixture()
        try await fixture.lay("m1", .patch("x", #"{"n":2}"#))
        try await fixture.lay("m2", .patch("x", #"{"t":"s"}"#))
        try await fixture.commit("m2", sequence: 3)
        try await fixture.feed(EventLine.reset(epoch: "e2", library: "a"))
        #expect(await fixture.layers() == ["m1 pending", "m2 confirmed"])
        try await fixture.feed(
            EventLine.change(#"{"id":"y"}"#, library: "a", sequence: 7, epoch: "e2")
        )
        #expect(await fixture.layers() == ["m1 pending", "m2 confirmed"])
        try await fixture.feed(
            EventLine.change(#"{"id":"x","n":5}"#, library: "a", sequence: 8, epoch: "e2")
        )
        #expect(await fixture.layers() == ["m1 pending"])
        #expect(try await fixture.shows("x") == Self.x(2))
    }

    @Test func `an answer of the new log settles layers that wait for the old one, too`() async throws {
        let fixture = try await fixture()
        try await fixture.lay("m2", .patch("x", #"{"t":"s"}"#))
        try await fixture.commit("m2", sequence: 3)
        try await fixture.feed(EventLine.reset(epoch: "e2", library: "a"))
        try await fixture.put([Self.x(6)])
        #expect(await fixture.layers() == [])
        #expect(try await fixture.shows("x") == Self.x(6))
    }

    @Test func `layers, their awaited places and their views are the same after a restart`() async throws {
        let store = MemoryJournal.Store()
        let first = try await fixture(MemoryJournal(store: store))
        try await first.lay("m1", .patch("x", #"{"n":2}"#))
        try await first.lay("m2", .put(#"{"id":"t1","n":4}"#), dependsOn: ["m1"])
        try await first.lay("m3", .delete("x"))
        try await first.commit("m3", sequence: 2)
        let second = try await OptimisticFixture.open(MemoryJournal(store: store))
        #expect(await second.layers() == ["m1 pending", "m2 pending", "m3 confirmed"])
        #expect(try await second.read("x").miss == .deleted)
        #expect(try await second.shows("t1") == #"{"id":"t1","n":4}"#)
        try await second.change(2, Self.x(7))
        #expect(await second.layers() == ["m1 pending", "m2 pending"])
        #expect(try await second.shows("x") == Self.x(2))
        try await second.rollBack("m1")
        #expect(await second.layers() == [])
        #expect(try await second.shows("x") == Self.x(7))
        #expect(try await second.read("t1").miss == .absent)
        let third = try await OptimisticFixture.open(MemoryJournal(store: store))
        #expect(await third.layers() == [])
    }

    @Test func `a layer that the disk refuses is undone, and its observers saw both changes`() async throws {
        let journal = MemoryJournal()
        let fixture = try await fixture(journal)
        try await fixture.fixture.cache.flush()
        let list = try await fixture.observe()
        await journal.failCommits(StorageError(.diskFull, "no space", advice: "make room"))
        let clock = fixture.fixture.clock
        async let outcome = fixture.lay("m1", .patch("x", #"{"n":2}"#))
        // A call that waits for a failing disk waits by the clock.
        let ticking = Task {
            while !Task.isCancelled {
                clock.advance(milliseconds: 1_000)
                await Task.yield()
            }
        }
        #expect(try await outcome == .failed("storage_failed"))
        ticking.cancel()
        #expect(await fixture.layers() == [])
        #expect(try await fixture.shows("x") == Self.x(1))
        #expect(fixture.trace(list) == [Self.x(1), Self.x(2), Self.x(1)])
    }
}
