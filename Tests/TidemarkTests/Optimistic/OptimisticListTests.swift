import TestTraits
import Testing
import Tidemark
import TidemarkModel
import TidemarkTestKit
import TidemarkTesting

/// The content of lists while layers are pending, and after they end.
///
/// - Source: Protocol/optimistic.md, what a layer shows.
@Suite(.pooled) struct OptimisticListTests {
    private static func resource(_ id: String, _ n: Int) -> String { #"{"id":"\#(id)","n":\#(n)}"# }

    private func fixture(
        _ configure: (inout CacheConfiguration) -> Void = { _ in }
    ) async throws -> OptimisticFixture {
        let fixture = try await OptimisticFixture.open(MemoryJournal(), configure)
        try await fixture.change(1, Self.resource("a", 1), Self.resource("b", 2), Self.resource("c", 3))
        try await fixture.put(["c", "b", "a"].map { Self.resource($0, ["a": 1, "b": 2, "c": 3][$0] ?? 0) })
        try await fixture.put(
            ["a", "b"].map { Self.resource($0, ["a": 1, "b": 2][$0] ?? 0) }, "1",
            rule: #","order":[{"path":"/n"}],"limit":2"#)
        return fixture
    }

    @Test func `an entity that a layer deletes leaves every list, and a rollback restores its places`() async throws {
        let fixture = try await fixture()
        let (plain, ruled) = (try await fixture.observe(), try await fixture.observe("1"))
        try await fixture.lay("m1", .delete("b"))
        #expect(try await fixture.list() == "c a")
        #expect(try await fixture.isPending())
        #expect(try await fixture.list("1") == "! a")
        #expect(try await fixture.isPending("1"))
        try await fixture.rollBack("m1")
        #expect(try await fixture.list() == "c b a")
        #expect(try await fixture.list("1") == "a b")
        #expect(try await fixture.isPending() == false)
        let (a, b, c) = (Self.resource("a", 1), Self.resource("b", 2), Self.resource("c", 3))
        #expect(fixture.trace(plain) == ["\(c) \(b) \(a)", "\(c) \(a)", "\(c) \(b) \(a)"])
        #expect(fixture.trace(ruled) == ["\(a) \(b)", "! \(a)", "\(a) \(b)"])
    }

    @Test func `after a rollback a deleted entity has its place in a newer answer`() async throws {
        let fixture = try await fixture()
        try await fixture.lay("m1", .delete("b"))
        try await fixture.put([Self.resource("b", 2), Self.resource("a", 1), Self.resource("c", 3)])
        #expect(try await fixture.list() == "a c")
        try await fixture.rollBack("m1")
        #expect(try await fixture.list() == "b a c")
        try await fixture.lay("m2", .delete("b"))
        try await fixture.put([Self.resource("a", 1), Self.resource("c", 3)])
        try await fixture.rollBack("m2")
        #expect(try await fixture.list() == "a c")
    }

    @Test func `after a rollback a deleted entity has the place to which events moved it`() async throws {
        let fixture = try await fixture()
        try await fixture.put([], "2", rule: #","order":[{"path":"/n"}]"#) { $0.isLocal = true }
        try await fixture.lay("m1", .delete("a"))
        #expect(try await fixture.list("2") == "b c")
        try await fixture.change(2, Self.resource("a", 9))
        #expect(try await fixture.list("2") == "b c")
        try await fixture.rollBack("m1")
        #expect(try await fixture.list("2") == "b c a")
        #expect(try await fixture.list() == "c b a")
    }

    @Test func `after a rollback an entity that an event deleted too stays deleted`() async throws {
        let fixture = try await fixture()
        try await fixture.lay("m1", .delete("b"))
        try await fixture.delete(2, "b")
        try await fixture.rollBack("m1")
        #expect(try await fixture.list() == "c a")
        #expect(try await fixture.read("b").miss == .deleted)
    }

    @Test func `a pending entity is never evicted, and a hidden one is restored when memory is full`()
        async throws
    {
        let fixture = try await fixture { $0.memoryByteCountMax = 0 }
        try await fixture.lay("m1", .delete("b"))
        try await fixture.lay("m2", .patch("a", #"{"n":7}"#))
        for sequence in 2...6 as ClosedRange<Int64> {
            try await fixture.change(sequence, Self.resource("z\(sequence)", 50))
            try await fixture.fixture.cache.flush()
        }
        #expect(await fixture.fixture.cache.evictedCount > 0)
        #expect(try await fixture.shows("a") == Self.resource("a", 7))
        #expect(try await fixture.list() == "c a*")
        try await fixture.rollBack("m2")
        try await fixture.rollBack("m1")
        #expect(try await fixture.list() == "c b a")
        #expect(try await fixture.list("1") == "a b")
    }

    @Test func `a list with a rule follows the visible entities, as far as it is known`() async throws {
        let fixture = try await fixture()
        let ruled = try await fixture.observe("1")
        // The elements are before all others, after the horizon, and between them.
        try await fixture.lay("m1", .put(Self.resource("t", 0)))
        #expect(try await fixture.list("1") == "t* a")
        try await fixture.lay("m2", .put(Self.resource("u", 99)))
        #expect(try await fixture.list("1") == "t* a")
        try await fixture.lay("m3", .patch("a", #"{"n":50}"#))
        #expect(try await fixture.list("1") == "t* b")
        #expect(try await fixture.isPending("1"))
        try await fixture.rollBack("m1")
        // Only one known element is left; nobody knows which elements follow it.
        #expect(try await fixture.list("1") == "! b")
        #expect(try await fixture.isPending("1"))
        try await fixture.rollBack("m3")
        #expect(try await fixture.list("1") == "a b")
        try await fixture.rollBack("m2")
        #expect(try await fixture.isPending("1") == false)
        let (a, b, t) = (Self.resource("a", 1), Self.resource("b", 2), Self.resource("t", 0))
        #expect(fixture.trace(ruled) == ["\(a) \(b)", "\(t) \(a)", "\(t) \(b)", "! \(b)", "\(a) \(b)"])
    }

    @Test func `a list without a rule does not get a layer's entity`() async throws {
        let fixture = try await fixture()
        let plain = try await fixture.observe()
        try await fixture.lay("m1", .put(Self.resource("t", 0)))
        #expect(try await fixture.list() == "c b a")
        #expect(try await fixture.isPending() == false)
        #expect(fixture.trace(plain).count == 1)
    }

    @Test(arguments: [false, true])
    func `an entity removed under a layer is missing again after a restart`(isDeletion: Bool) async throws {
        let store = MemoryJournal.Store()
        var fixture = try await OptimisticFixture.open(MemoryJournal(store: store))
        try await fixture.put([Self.resource("b", 2), Self.resource("a", 1)])
        try await fixture.lay("m1", isDeletion ? .delete("a") : .put(Self.resource("a", 7)))
        var removal = Removal(library: "a")
        removal.resourceType = "file"
        removal.ids = ["a"]
        _ = try await fixture.fixture.cache.remove(removal)
        try await fixture.fixture.cache.close()
        fixture = try await OptimisticFixture.open(MemoryJournal(store: store))
        let plain = try await fixture.observe()
        #expect(try await fixture.list() == (isDeletion ? "b" : "b a*"))
        try await fixture.rollBack("m1")
        // A list that lacks an element is a miss; its observer gets the remaining elements, as stale.
        #expect(try await fixture.list() == nil)
        #expect(fixture.trace(plain).last == "! \(Self.resource("b", 2))")
        try await fixture.change(nil, Self.resource("a", 3))
        #expect(try await fixture.list() == "b a")
        await fixture.fixture.cache.checkInvariants()
    }

    @Test func `a put over a removed entity makes its list complete`() async throws {
        let fixture = try await fixture()
        let plain = try await fixture.observe()
        var removal = Removal(library: "a")
        removal.resourceType = "file"
        removal.ids = ["b"]
        #expect(try await fixture.fixture.cache.remove(removal) == 1)
        #expect(try await fixture.list() == nil)
        try await fixture.lay("m1", .put(Self.resource("b", 8)))
        #expect(try await fixture.list() == "c b* a")
        try await fixture.rollBack("m1")
        #expect(try await fixture.list() == nil)
        let (a, b, c) = (Self.resource("a", 1), Self.resource("b", 2), Self.resource("c", 3))
        #expect(
            fixture.trace(plain) == [
                "\(c) \(b) \(a)", "! \(c) \(a)", "\(c) \(Self.resource("b", 8)) \(a)", "! \(c) \(a)",
            ])
    }

    @Test func `an expired list is stale with layers as without`() async throws {
        let fixture = try await fixture()
        try await fixture.put([Self.resource("c", 3), Self.resource("a", 1)], "3") {
            $0.timeToLive = .milliseconds(500)
        }
        let observer = try await fixture.observe("3")
        try await fixture.lay("m1", .patch("a", #"{"n":7}"#))
        fixture.fixture.clock.advance(milliseconds: 500)
        #expect(await eventually { fixture.sink.observer(observer)?.isStale == true })
        #expect(try await fixture.list("3") == "! c a*")
        try await fixture.rollBack("m1")
        #expect(try await fixture.list("3") == "! c a")
        try await fixture.put([Self.resource("c", 3), Self.resource("a", 1)], "3") {
            $0.timeToLive = .milliseconds(500)
        }
        #expect(try await fixture.list("3") == "c a")
    }

    @Test func `a change of pending alone notifies no observer`() async throws {
        let fixture = try await fixture()
        let plain = try await fixture.observe()
        try await fixture.lay("m1", .patch("a", #"{"n":1}"#))
        #expect(try await fixture.isPending())
        try await fixture.rollBack("m1")
        #expect(try await fixture.isPending() == false)
        #expect(fixture.trace(plain).count == 1)
    }

    @Test(arguments: [false, true])
    func `an answer older than a confirmation ahead of the log keeps it, after a restart too`(
        isRestarted: Bool
    ) async throws {
        let store = MemoryJournal.Store()
        var fixture = try await OptimisticFixture.open(MemoryJournal(store: store))
        try await fixture.change(1, Self.resource("a", 1), Self.resource("c", 3))
        try await fixture.lay("m1", .put(Self.resource("b", 2)))
        try await fixture.commit("m1", confirmed: [Self.resource("b", 2)], sequence: 5)
        if isRestarted {
            try await fixture.fixture.cache.close()
            fixture = try await OptimisticFixture.open(MemoryJournal(store: store))
        }
        try await fixture.put(
            [Self.resource("a", 1), Self.resource("c", 3)], "1", rule: #","order":[{"path":"/n"}],"limit":2"#
        ) { $0.asOf = EventSequence(3) }
        let list = try await fixture.list("1")
        #expect(list == "a b")
    }

    @Test func `a layer's entity after the horizon leaves the list when the horizon comes closer`() async throws {
        let fixture = try await OptimisticFixture.open(MemoryJournal())
        try await fixture.put([], rule: #","order":[{"path":"/n"}],"limit":1"#)
        try await fixture.lay("far", .put(Self.resource("far", 100)))
        #expect(try await fixture.list() == "far*")
        // The list keeps 33 elements; after one more, the elements after them are no longer known.
        for n in 1...34 { try await fixture.change(Int64(n), Self.resource("e\(n + 10)", n)) }
        #expect(try await fixture.list() == "e11")
        try await fixture.lay("all", .delete("e11"), .delete("e12"))
        #expect(try await fixture.list() == "e13")
        try await fixture.rollBack("all")
        try await fixture.fixture.cache.update(
            OptimisticUpdate(
                pendingID: "everyone", library: "a",
                operations: (11...44).map { .delete(type: "file", id: ByteString("e\($0)")) }))
        #expect(try await fixture.list() == "!")
        try await fixture.rollBack("everyone")
        #expect(try await fixture.list() == "e11")
    }
}
