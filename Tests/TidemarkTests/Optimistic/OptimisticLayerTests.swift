import TestTraits
import Testing
import Tidemark
import TidemarkModel
import TidemarkReferenceModel

/// The visible state of layers over the server's state, and the state after they end.
///
/// - Source: Protocol/optimistic.md, what a layer shows.
@Suite(.pooled) struct OptimisticLayerTests {
    private static let base = #"{"id":"x","n":1,"t":"s"}"#

    private func fixture() async throws -> OptimisticFixture {
        let fixture = try await OptimisticFixture.open()
        try await fixture.change(1, Self.base)
        return fixture
    }

    @Test(arguments: [["m1", "m2"], ["m2", "m1"]])
    func `two layers on one entity may be settled in either order`(order: [String]) async throws {
        let fixture = try await fixture()
        try await fixture.lay("m1", .patch("x", #"{"n":2}"#))
        try await fixture.lay("m2", .patch("x", #"{"n":3}"#))
        #expect(try await fixture.shows("x") == #"{"id":"x","n":3,"t":"s"}"#)
        try await fixture.commit(order[0], confirmed: [order[0] == "m1" ? #"{"id":"x","n":2}"# : #"{"id":"x","n":3}"#])
        let left = order[1] == "m2" ? #"{"id":"x","n":3,"t":"s"}"# : #"{"id":"x","n":2,"t":"s"}"#
        #expect(try await fixture.shows("x") == left)
        #expect(await fixture.layers() == ["\(order[1]) pending"])
        try await fixture.commit(order[1], confirmed: [#"{"id":"x","n":9}"#])
        #expect(try await fixture.shows("x") == #"{"id":"x","n":9,"t":"s"}"#)
        #expect(try await fixture.read("x").isPending == false)
    }

    @Test(arguments: ["m1", "m2"])
    func `rolling back one of two edits keeps the other`(gone: String) async throws {
        let fixture = try await fixture()
        try await fixture.lay("m1", .patch("x", #"{"n":2}"#))
        try await fixture.lay("m2", .patch("x", #"{"t":"u"}"#))
        #expect(try await fixture.shows("x") == #"{"id":"x","n":2,"t":"u"}"#)
        try await fixture.change(2, #"{"id":"x","n":5,"t":"v"}"#)
        #expect(try await fixture.shows("x") == #"{"id":"x","n":2,"t":"u"}"#)
        try await fixture.rollBack(gone)
        #expect(
            try await fixture.shows("x") == (gone == "m1" ? #"{"id":"x","n":5,"t":"u"}"# : #"{"id":"x","n":2,"t":"v"}"#)
        )
        try await fixture.rollBack(gone == "m1" ? "m2" : "m1")
        #expect(try await fixture.shows("x") == #"{"id":"x","n":5,"t":"v"}"#)
    }

    @Test func `an explicit null is a value, a name in unset is removed, and a rollback restores both`() async throws {
        let fixture = try await fixture()
        try await fixture.lay("m1", .patch("x", #"{"n":null}"#, unset: ["t"]))
        #expect(try await fixture.shows("x") == #"{"id":"x","n":null}"#)
        try await fixture.lay("m2", .removeField(type: "file", id: "x", field: "n"))
        #expect(try await fixture.shows("x") == #"{"id":"x"}"#)
        try await fixture.rollBack("m2")
        #expect(try await fixture.shows("x") == #"{"id":"x","n":null}"#)
        try await fixture.rollBack("m1")
        #expect(try await fixture.shows("x") == Self.base)
    }

    @Test func `a patch shows nothing until its entity exists`() async throws {
        let fixture = try await fixture()
        try await fixture.lay("m1", .patch("y", #"{"n":2}"#))
        var read = try await fixture.read("y")
        #expect(read.entity == nil && read.isPending && read.miss == .absent && read.sequence == nil)
        try await fixture.change(2, #"{"id":"y","n":1,"t":"q"}"#)
        read = try await fixture.read("y")
        #expect(try await fixture.shows("y") == #"{"id":"y","n":2,"t":"q"}"#)
        #expect(read.isPending && read.sequence == EventSequence(2))
        #expect(await fixture.layers() == ["m1 pending"])
    }

    @Test func `a put shows its resource over nothing, over a tombstone and over another layer's delete`() async throws
    {
        let fixture = try await fixture()
        try await fixture.change(2, #"{"id":"y","n":1}"#)
        try await fixture.delete(3, "y")
        try await fixture.lay("m0", .delete("x"))
        #expect(try await fixture.read("x").miss == .deleted)
        #expect(try await fixture.read("y").miss == .deleted)
        try await fixture.lay("m1", .put(#"{"id":"z","n":7}"#), .put(#"{"id":"y","n":8}"#), .put(#"{"id":"x","n":9}"#))
        #expect(try await fixture.shows("z") == #"{"id":"z","n":7}"#)
        #expect(try await fixture.shows("y") == #"{"id":"y","n":8}"#)
        #expect(try await fixture.shows("x") == #"{"id":"x","n":9}"#)
        #expect(try await fixture.read("z").sequence == nil)
        #expect(await fixture.layers() == ["m0 pending", "m1 pending"])
        try await fixture.rollBack("m1")
        #expect(try await fixture.read("z").miss == .absent)
        #expect(try await fixture.read("y").miss == .deleted)
        #expect(try await fixture.read("x").miss == .deleted)
        try await fixture.rollBack("m0")
        #expect(try await fixture.shows("x") == Self.base)
    }

    @Test func `changes of one layer apply in order`() async throws {
        let fixture = try await fixture()
        try await fixture.lay(
            "m1", .patch("x", #"{"n":2}"#), .delete("x"), .patch("x", #"{"n":3}"#), .put(#"{"id":"x"}"#),
            .patch("x", #"{"n":4}"#))
        #expect(try await fixture.shows("x") == #"{"id":"x","n":4}"#)
    }

    @Test func `a patched entity that is deleted is absent, and its layer orphaned until it is back`() async throws {
        let fixture = try await fixture()
        try await fixture.lay("m1", .patch("x", #"{"n":2}"#))
        try await fixture.lay("m2", .patch("x", #"{"t":"u"}"#))
        try await fixture.commit("m2", sequence: 100)
        try await fixture.delete(2, "x")
        #expect(try await fixture.read("x").miss == .deleted)
        #expect(await fixture.layers() == ["m1 orphaned", "m2 orphaned"])
        try await fixture.change(3, #"{"id":"x","n":8}"#)
        #expect(try await fixture.shows("x") == #"{"id":"x","n":2,"t":"u"}"#)
        #expect(await fixture.layers() == ["m1 pending", "m2 confirmed"])
    }

    @Test func `a layer must not change an id, and has something to change`() async throws {
        let fixture = try await fixture()
        #expect(try await fixture.lay("m1", .patch("x", #"{"id":"y"}"#)) == .failed("invalid_params"))
        #expect(try await fixture.lay("m1", .patch("x", "{}", unset: ["id"])) == .failed("invalid_params"))
        #expect(
            try await fixture.lay("m1", .removeField(type: "file", id: "x", field: "id")) == .failed("invalid_params"))
        #expect(try await fixture.lay("m1") == .failed("invalid_params"))
        #expect(try await fixture.lay("", .delete("x")) == .failed("invalid_params"))
        #expect(try await fixture.lay(String(repeating: "m", count: 1_025), .delete("x")) == .failed("invalid_params"))
        #expect(try await fixture.lay("m1", .put(#"{"n":1}"#)) == .failed("invalid_params"))
        #expect(await fixture.layers() == [])
        #expect(try await fixture.shows("x") == Self.base)
    }

    @Test func `transactions write the base, and their changes show where no layer covers them`() async throws {
        let fixture = try await fixture()
        try await fixture.lay("m1", .patch("x", #"{"n":2}"#))
        try await fixture.lay("m2", .put(#"{"id":"z","n":7}"#))
        try await fixture.fixture.cache.transact(
            [.patch(type: "file", id: "x", fields: Array(#"{"n":5,"t":"w"}"#.utf8), unset: [])], library: "a")
        #expect(try await fixture.shows("x") == #"{"id":"x","n":2,"t":"w"}"#)
        // An entity that only a layer shows does not exist for a transaction.
        await #expect(throws: CacheError.self) {
            try await fixture.fixture.cache.transact(
                [.patch(type: "file", id: "z", fields: Array(#"{"n":5}"#.utf8), unset: [])], library: "a")
        }
        try await fixture.fixture.cache.transact([.delete(type: "file", id: "x")], library: "a")
        #expect(try await fixture.read("x").miss == .deleted)
        #expect(await fixture.layers() == ["m1 orphaned", "m2 pending"])
        try await fixture.rollBack("m1")
        #expect(try await fixture.read("x").miss == .deleted)
    }

    @Test func `clearing and removing affect the base, not the layers`() async throws {
        let fixture = try await fixture()
        try await fixture.lay("m1", .patch("x", #"{"n":2}"#))
        try await fixture.lay("m2", .put(#"{"id":"z","n":7}"#))
        try await fixture.fixture.cache.clear(library: nil)
        #expect(try await fixture.read("x").miss == .absent)
        #expect(try await fixture.shows("z") == #"{"id":"z","n":7}"#)
        #expect(await fixture.layers() == ["m1 pending", "m2 pending"])
        try await fixture.change(2, #"{"id":"x","n":1}"#)
        #expect(try await fixture.shows("x") == #"{"id":"x","n":2}"#)
    }
}
