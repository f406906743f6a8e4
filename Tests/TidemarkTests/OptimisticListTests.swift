import Testing
import Tidemark
import TidemarkModel
import TidemarkTesting

/// The content of lists while layers are pending, and after they end.
///
/// - Source: Protocol/optimistic.md, what a layer shows.
@Suite struct OptimisticListTests {
    private static func resource(_ id: String, _ n: Int) -> String { #"{"id":"\#(id)","n":\#(n)}"# }

    private func bed(
        _ configure: (inout CacheConfiguration) -> Void = { _ in }
    ) async throws -> OptimisticBed {
        let bed = try await OptimisticBed.open(MemoryJournal(), configure)
        try await bed.change(1, Self.resource("a", 1), Self.resource("b", 2), Self.resource("c", 3))
        try await bed.put(["c", "b", "a"].map { Self.resource($0, ["a": 1, "b": 2, "c": 3][$0] ?? 0) })
        try await bed.put(
            ["a", "b"].map { Self.resource($0, ["a": 1, "b": 2][$0] ?? 0) }, "1",
            rule: #","order":[{"path":"/n"}],"limit":2"#)
        return bed
    }

    @Test func `an entity that a layer deletes leaves every list, and a rollback restores its places`() async throws {
        let bed = try await bed()
        let (plain, ruled) = (try await bed.observe(), try await bed.observe("1"))
        try await bed.lay("m1", .delete("b"))
        #expect(try await bed.list() == "c a")
        #expect(try await bed.isPending())
        #expect(try await bed.list("1") == "! a")
        #expect(try await bed.isPending("1"))
        try await bed.rollBack("m1")
        #expect(try await bed.list() == "c b a")
        #expect(try await bed.list("1") == "a b")
        #expect(try await bed.isPending() == false)
        let (a, b, c) = (Self.resource("a", 1), Self.resource("b", 2), Self.resource("c", 3))
        #expect(bed.trace(plain) == ["\(c) \(b) \(a)", "\(c) \(a)", "\(c) \(b) \(a)"])
        #expect(bed.trace(ruled) == ["\(a) \(b)", "! \(a)", "\(a) \(b)"])
    }

    @Test func `after a rollback a deleted entity has its place in a newer answer`() async throws {
        let bed = try await bed()
        try await bed.lay("m1", .delete("b"))
        try await bed.put([Self.resource("b", 2), Self.resource("a", 1), Self.resource("c", 3)])
        #expect(try await bed.list() == "a c")
        try await bed.rollBack("m1")
        #expect(try await bed.list() == "b a c")
        try await bed.lay("m2", .delete("b"))
        try await bed.put([Self.resource("a", 1), Self.resource("c", 3)])
        try await bed.rollBack("m2")
        #expect(try await bed.list() == "a c")
    }

    @Test func `after a rollback a deleted entity has the place to which events moved it`() async throws {
        let bed = try await bed()
        try await bed.put([], "2", rule: #","order":[{"path":"/n"}]"#) { $0.isLocal = true }
        try await bed.lay("m1", .delete("a"))
        #expect(try await bed.list("2") == "b c")
        try await bed.change(2, Self.resource("a", 9))
        #expect(try await bed.list("2") == "b c")
        try await bed.rollBack("m1")
        #expect(try await bed.list("2") == "b c a")
        #expect(try await bed.list() == "c b a")
    }

    @Test func `after a rollback an entity that an event deleted too stays deleted`() async throws {
        let bed = try await bed()
        try await bed.lay("m1", .delete("b"))
        try await bed.delete(2, "b")
        try await bed.rollBack("m1")
        #expect(try await bed.list() == "c a")
        #expect(try await bed.read("b").miss == .deleted)
    }

    @Test func `a pending entity is never evicted, and a hidden one is restored when memory is full`()
        async throws
    {
        let bed = try await bed { $0.memoryByteCountMax = 0 }
        try await bed.lay("m1", .delete("b"))
        try await bed.lay("m2", .patch("a", #"{"n":7}"#))
        for sequence in 2...6 as ClosedRange<Int64> {
            try await bed.change(sequence, Self.resource("z\(sequence)", 50))
            try await bed.fixture.cache.flush()
        }
        #expect(await bed.fixture.cache.evictedCount > 0)
        #expect(try await bed.shows("a") == Self.resource("a", 7))
        #expect(try await bed.list() == "c a*")
        try await bed.rollBack("m2")
        try await bed.rollBack("m1")
        #expect(try await bed.list() == "c b a")
        #expect(try await bed.list("1") == "a b")
    }

    @Test func `a list with a rule follows the visible entities, as far as it is known`() async throws {
        let bed = try await bed()
        let ruled = try await bed.observe("1")
        // The elements are before all others, after the horizon, and between them.
        try await bed.lay("m1", .put(Self.resource("t", 0)))
        #expect(try await bed.list("1") == "t* a")
        try await bed.lay("m2", .put(Self.resource("u", 99)))
        #expect(try await bed.list("1") == "t* a")
        try await bed.lay("m3", .patch("a", #"{"n":50}"#))
        #expect(try await bed.list("1") == "t* b")
        #expect(try await bed.isPending("1"))
        try await bed.rollBack("m1")
        // Only one known element is left; nobody knows which elements follow it.
        #expect(try await bed.list("1") == "! b")
        #expect(try await bed.isPending("1"))
        try await bed.rollBack("m3")
        #expect(try await bed.list("1") == "a b")
        try await bed.rollBack("m2")
        #expect(try await bed.isPending("1") == false)
        let (a, b, t) = (Self.resource("a", 1), Self.resource("b", 2), Self.resource("t", 0))
        #expect(bed.trace(ruled) == ["\(a) \(b)", "\(t) \(a)", "\(t) \(b)", "! \(b)", "\(a) \(b)"])
    }

    @Test func `a list without a rule does not get a layer's entity`() async throws {
        let bed = try await bed()
        let plain = try await bed.observe()
        try await bed.lay("m1", .put(Self.resource("t", 0)))
        #expect(try await bed.list() == "c b a")
        #expect(try await bed.isPending() == false)
        #expect(bed.trace(plain).count == 1)
    }

    @Test(arguments: [false, true])
    func `an entity removed under a layer is missing again after a restart`(isDeletion: Bool) async throws {
        let store = MemoryJournal.Store()
        var bed = try await OptimisticBed.open(MemoryJournal(store: store))
        try await bed.put([Self.resource("b", 2), Self.resource("a", 1)])
        try await bed.lay("m1", isDeletion ? .delete("a") : .put(Self.resource("a", 7)))
        var removal = Removal(library: "a")
        removal.resourceType = "file"
        removal.ids = ["a"]
        _ = try await bed.fixture.cache.remove(removal)
        try await bed.fixture.cache.close()
        bed = try await OptimisticBed.open(MemoryJournal(store: store))
        let plain = try await bed.observe()
        #expect(try await bed.list() == (isDeletion ? "b" : "b a*"))
        try await bed.rollBack("m1")
        // A list that lacks an element is a miss; its observer gets the remaining elements, as stale.
        #expect(try await bed.list() == nil)
        #expect(bed.trace(plain).last == "! \(Self.resource("b", 2))")
        try await bed.change(nil, Self.resource("a", 3))
        #expect(try await bed.list() == "b a")
        await bed.fixture.cache.checkInvariants()
    }

    @Test func `a put over a removed entity makes its list complete`() async throws {
        let bed = try await bed()
        let plain = try await bed.observe()
        var removal = Removal(library: "a")
        removal.resourceType = "file"
        removal.ids = ["b"]
        #expect(try await bed.fixture.cache.remove(removal) == 1)
        #expect(try await bed.list() == nil)
        try await bed.lay("m1", .put(Self.resource("b", 8)))
        #expect(try await bed.list() == "c b* a")
        try await bed.rollBack("m1")
        #expect(try await bed.list() == nil)
        let (a, b, c) = (Self.resource("a", 1), Self.resource("b", 2), Self.resource("c", 3))
        #expect(
            bed.trace(plain) == ["\(c) \(b) \(a)", "! \(c) \(a)", "\(c) \(Self.resource("b", 8)) \(a)", "! \(c) \(a)"])
    }

    @Test func `an expired list is stale with layers as without`() async throws {
        let bed = try await bed()
        try await bed.put([Self.resource("c", 3), Self.resource("a", 1)], "3") { $0.timeToLive = 500 }
        let observer = try await bed.observe("3")
        try await bed.lay("m1", .patch("a", #"{"n":7}"#))
        bed.fixture.clock.advance(milliseconds: 500)
        #expect(await eventually { bed.sink.observer(observer)?.isStale == true })
        #expect(try await bed.list("3") == "! c a*")
        try await bed.rollBack("m1")
        #expect(try await bed.list("3") == "! c a")
        try await bed.put([Self.resource("c", 3), Self.resource("a", 1)], "3") { $0.timeToLive = 500 }
        #expect(try await bed.list("3") == "c a")
    }

    @Test func `a change of pending alone notifies no observer`() async throws {
        let bed = try await bed()
        let plain = try await bed.observe()
        try await bed.lay("m1", .patch("a", #"{"n":1}"#))
        #expect(try await bed.isPending())
        try await bed.rollBack("m1")
        #expect(try await bed.isPending() == false)
        #expect(bed.trace(plain).count == 1)
    }

    @Test(arguments: [false, true])
    func `an answer older than a confirmation ahead of the log keeps it, after a restart too`(
        isRestarted: Bool
    ) async throws {
        let store = MemoryJournal.Store()
        var bed = try await OptimisticBed.open(MemoryJournal(store: store))
        try await bed.change(1, Self.resource("a", 1), Self.resource("c", 3))
        try await bed.lay("m1", .put(Self.resource("b", 2)))
        try await bed.commit("m1", confirmed: [Self.resource("b", 2)], sequence: 5)
        if isRestarted {
            try await bed.fixture.cache.close()
            bed = try await OptimisticBed.open(MemoryJournal(store: store))
        }
        try await bed.put(
            [Self.resource("a", 1), Self.resource("c", 3)], "1", rule: #","order":[{"path":"/n"}],"limit":2"#
        ) { $0.asOf = EventSequence(3) }
        let list = try await bed.list("1")
        #expect(list == "a b")
    }

    @Test func `a layer's entity after the horizon leaves the list when the horizon comes closer`() async throws {
        let bed = try await OptimisticBed.open(MemoryJournal())
        try await bed.put([], rule: #","order":[{"path":"/n"}],"limit":1"#)
        try await bed.lay("far", .put(Self.resource("far", 100)))
        #expect(try await bed.list() == "far*")
        // The list keeps 33 elements; after one more, the elements after them are no longer known.
        for n in 1...34 { try await bed.change(Int64(n), Self.resource("e\(n + 10)", n)) }
        #expect(try await bed.list() == "e11")
        try await bed.lay("all", .delete("e11"), .delete("e12"))
        #expect(try await bed.list() == "e13")
        try await bed.rollBack("all")
        try await bed.fixture.cache.update(
            OptimisticUpdate(
                pendingID: "everyone", library: "a",
                operations: (11...44).map { .delete(type: "file", id: ByteString("e\($0)")) }))
        #expect(try await bed.list() == "!")
        try await bed.rollBack("everyone")
        #expect(try await bed.list() == "e11")
    }
}
