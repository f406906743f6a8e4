import TestTraits
import Testing
import Tidemark
import TidemarkModel
import TidemarkTesting

/// Entities that are deleted together with another one.
///
/// - Source: Protocol/policy.md, cascades.
@Suite(.pooled) struct CascadeTests {
    @Test(arguments: [
        #""parts":"1""#, #""parts":1"#, #""parts":{"id":"1","n":2}"#, #""parts":{"id":1}"#, #""parts":{"uuid":"1"}"#,
        #""parts":{"id":null,"uuid":"1"}"#, #""parts":["1"]"#, #""parts":[{"id":"9"},1,null]"#, #""parts":[["1"]]"#,
        #""parts":"\u0031""#, #""p\u0061rts":["1"]"#, #""next":{"id":"n"},"parts":["1"]"#,
    ])
    func `an id, an object with one and a list of these are references`(field: String) async throws {
        let fixture = try await CascadeFixture.open()
        try await fixture.fill(("part", #"{"id":"1"}"#), ("part", #"{"id":"2"}"#), ("file", #"{"id":"f",\#(field)}"#))
        try await fixture.delete(4, "file:f")
        #expect(try await fixture.seen("file:f", "part:1", "part:2") == "part:2")
        let origin = try await fixture.cache.explain(try CascadeFixture.key("part:1"))
        #expect(origin.miss == .deleted && origin.deletion?.sequence == EventSequence(4))
    }

    @Test(arguments: [
        #""friend":"1""#, #""parts":{"name":"1"}"#, #""parts":{"id":{"id":"1"}}"#, #""parts":true"#, #""parts":1.0"#,
        #""parts":1e0"#, #""parts":"""#, #""parts":{"id":[1],"uuid":"1"}"#, #""other":"1""#, #""parts":null"#,
    ])
    func `no other value is a reference`(field: String) async throws {
        let fixture = try await CascadeFixture.open()
        try await fixture.fill(("part", #"{"id":"1"}"#), ("file", #"{"id":"1"}"#), ("file", #"{"id":"f",\#(field)}"#))
        try await fixture.delete(4, "file:f")
        #expect(try await fixture.seen("file:f", "part:1", "file:1") == "part:1 file:1")
    }

    @Test func `a reference by UUID is followed in either case`() async throws {
        let fixture = try await CascadeFixture.open()
        try await fixture.fill(
            ("part", #"{"id":"0c5f4d0e-6a77-4f5e-9b53-6d9ad2a7c001"}"#),
            ("file", #"{"id":"f","parts":["0C5F4D0E-6A77-4F5E-9B53-6D9AD2A7C001"]}"#))
        try await fixture.delete(3, "file:f")
        #expect(try await fixture.seen("part:0c5f4d0e-6a77-4f5e-9b53-6d9ad2a7c001") == "")
    }

    @Test func `references use the cache's own names of types`() async throws {
        let policy = CachePolicy(types: [CascadeFixture.type("entry", [("parts", "piece", true)])])
        let fixture = try await CascadeFixture.open(policy: policy) {
            $0.typeAliases = ["entry": "file", "piece": "part"]
        }
        try await fixture.fill(("piece", #"{"id":"1"}"#), ("file", #"{"id":"f","parts":1}"#))
        try await fixture.delete(3, "entry:f")
        #expect(try await fixture.seen("file:f", "part:1") == "")
    }

    @Test(arguments: [0, 256 << 20])
    func `a chain and a cycle are followed across the tiers`(memoryByteCountMax: Int) async throws {
        let fixture = try await CascadeFixture.open { $0.memoryByteCountMax = memoryByteCountMax }
        try await fixture.fill(
            ("file", #"{"id":"1","next":"2","parts":["1","2"]}"#), ("part", #"{"id":"1","leaf":{"id":"3"}}"#),
            ("part", #"{"id":"2"}"#), ("part", #"{"id":"3","whole":1}"#), ("file", #"{"id":"2","next":1}"#),
            ("file", #"{"id":"3","next":"1"}"#))
        try await fixture.flush()
        let before = try await fixture.seen("file:3")
        #expect(before == "file:3")
        try await fixture.flush()
        try await fixture.delete(7, "file:2")
        #expect(try await fixture.seen("file:1", "file:2", "file:3", "part:1", "part:2", "part:3") == "file:3")
        try await fixture.flush()
        #expect(try await fixture.seen("file:1", "file:2", "file:3", "part:1", "part:2", "part:3") == "file:3")
        #expect(await fixture.cache.entityCount() == 1)
    }

    @Test func `references written earlier in the batch of a delete are followed, of a new type as well`() async throws
    {
        let fixture = try await CascadeFixture.open { $0.memoryByteCountMax = 0 }
        try await fixture.fill(("part", #"{"id":"1"}"#), ("part", #"{"id":"2"}"#), ("part", #"{"id":"3"}"#))
        try await fixture.flush()
        try await fixture.feed(
            CascadeFixture.change(4, "file", #"{"id":"f","parts":["1"]}"#),
            CascadeFixture.change(5, "part", #"{"id":"1","leaf":"2"}"#), CascadeFixture.delete(6, "file:f"))
        #expect(try await fixture.seen("file:f", "part:1", "part:2", "part:3") == "part:3")
    }

    @Test func `a held delete follows the references at the time when it is applied`() async throws {
        let fixture = try await CascadeFixture.open { $0.memoryByteCountMax = 0 }
        try await fixture.fill(("part", #"{"id":"1"}"#), ("file", #"{"id":"f"}"#))
        try await fixture.flush()
        try await fixture.feed(CascadeFixture.delete(4, "file:f"))
        try await fixture.flush()
        try await fixture.feed(CascadeFixture.change(3, "file", #"{"id":"f","parts":[1]}"#))
        #expect(try await fixture.seen("file:f", "part:1") == "")
    }

    @Test func `an entity newer than the delete stays, with its references`() async throws {
        let fixture = try await CascadeFixture.open()
        try await fixture.fill(
            ("file", #"{"id":"1","next":"2","parts":["1"]}"#), ("file", #"{"id":"2","next":"3"}"#),
            ("file", #"{"id":"3"}"#), ("part", #"{"id":"1"}"#))
        try await fixture.fixture.put([#"{"id":"2","n":1}"#]) { $0.asOf = EventSequence(9) }
        try await fixture.delete(5, "file:1")
        #expect(try await fixture.seen("file:1", "file:2", "file:3", "part:1") == "file:2 file:3")
    }

    @Test func `observers of a list and of cascaded entities are notified once`() async throws {
        let fixture = try await CascadeFixture.open()
        try await fixture.fill(
            ("file", #"{"id":"1","next":"2"}"#), ("file", #"{"id":"2","next":"3"}"#), ("file", #"{"id":"3"}"#),
            ("file", #"{"id":"4"}"#))
        try await fixture.fixture.put([#"{"id":"1"}"#, #"{"id":"4"}"#, #"{"id":"2"}"#, #"{"id":"3"}"#])
        let list = try await fixture.fixture.observe()
        let last = try await fixture.fixture.watch("3")
        try await fixture.delete(5, "file:1")
        #expect(
            fixture.fixture.trace(list) == [
                #"{"id":"1","next":"2"} {"id":"4"} {"id":"2","next":"3"} {"id":"3"}"#, #"{"id":"4"}"#,
            ])
        #expect(fixture.fixture.told(last) == [nil])
    }

    @Test func `a transaction's delete follows what the operations before it wrote, and later ones stand`() async throws
    {
        let fixture = try await CascadeFixture.open { $0.memoryByteCountMax = 0 }
        try await fixture.fill(
            ("file", #"{"id":"1","next":"2"}"#), ("file", #"{"id":"2"}"#), ("part", #"{"id":"1"}"#),
            ("part", #"{"id":"2"}"#))
        try await fixture.flush()
        try await fixture.cache.transact(
            [
                .patch(type: "file", id: "1", fields: Array(#"{"parts":["1","2"],"next":null}"#.utf8), unset: []),
                .delete(type: "file", id: "1"), .put(type: "part", resource: Array(#"{"id":"2","new":true}"#.utf8)),
            ], library: "a")
        #expect(try await fixture.seen("file:1", "file:2", "part:1", "part:2") == "file:2 part:2")
        await #expect(throws: CacheError.self) {
            try await fixture.cache.transact(
                [
                    .patch(type: "file", id: "2", fields: Array(#"{"parts":["2"]}"#.utf8), unset: []),
                    .delete(type: "file", id: "2"),
                    .patch(type: "part", id: "2", fields: Array("{}".utf8), unset: []),
                ], library: "a")
        }
        #expect(try await fixture.seen("file:2", "part:2") == "file:2 part:2")
    }

    @Test func `a layer hides the entities of its cascade, and a rollback shows them again`() async throws {
        let fixture = try await CascadeFixture.open { $0.memoryByteCountMax = 0 }
        try await fixture.fill(
            ("file", #"{"id":"1","next":"2"}"#), ("file", #"{"id":"2","parts":["1"]}"#), ("part", #"{"id":"1"}"#),
            ("file", #"{"id":"4"}"#))
        try await fixture.fixture.put([#"{"id":"1"}"#, #"{"id":"4"}"#, #"{"id":"2"}"#])
        try await fixture.flush()
        let list = try await fixture.fixture.observe()
        try await fixture.fixture.lay("m", .delete("1"))
        #expect(try await fixture.seen("file:1", "file:2", "part:1", "file:4") == "file:4")
        let layer = try #require(await fixture.cache.pendingLayers().first)
        #expect(layer.operations == [.delete(type: "file", id: "1")])
        #expect(layer.along == [try CascadeFixture.key("file:2"), try CascadeFixture.key("part:1")])
        // The server keeps writing: the hidden entity stays hidden, and a rollback shows the server's state.
        try await fixture.feed(CascadeFixture.change(5, "part", #"{"id":"1","n":5}"#))
        #expect(try await fixture.seen("part:1") == "")
        try await fixture.fixture.rollBack("m")
        #expect(try await fixture.seen("file:1", "file:2", "part:1", "file:4") == "file:1 file:2 part:1 file:4")
        let one = #"{"id":"1","next":"2"} {"id":"4"} {"id":"2","parts":["1"]}"#
        #expect(fixture.fixture.trace(list) == [one, #"{"id":"4"}"#, one])
    }

    @Test func `a layer's delete that its event settles leaves the event's cascade`() async throws {
        let store = MemoryJournal.Store()
        var fixture = try await CascadeFixture.open(MemoryJournal(store: store))
        try await fixture.fill(("file", #"{"id":"1","next":"2"}"#), ("file", #"{"id":"2"}"#), ("file", #"{"id":"3"}"#))
        try await fixture.fixture.lay("m", .patch("2", #"{"next":3}"#), .delete("1"))
        try await fixture.flush()
        try await fixture.cache.close()
        fixture = try await CascadeFixture.open(MemoryJournal(store: store))
        #expect(try await fixture.seen("file:1", "file:2", "file:3") == "")
        #expect(
            await fixture.cache.pendingLayers().first?.along == [
                try CascadeFixture.key("file:2"), try CascadeFixture.key("file:3"),
            ])
        try await fixture.delete(4, "file:1", mutation: "m")
        // The server never received the patch: 3 is its own value.
        #expect(try await fixture.seen("file:1", "file:2", "file:3") == "file:3")
        #expect(await fixture.cache.pendingLayers().isEmpty)
    }

    @Test func `a removal follows references only on request`() async throws {
        let fixture = try await CascadeFixture.open { $0.memoryByteCountMax = 0 }
        try await fixture.fill(
            ("file", #"{"id":"1","next":"2"}"#), ("file", #"{"id":"2","next":1,"parts":["1"]}"#),
            ("part", #"{"id":"1"}"#), ("file", #"{"id":"3","next":"2"}"#))
        try await fixture.flush()
        var removal = Removal(library: "a")
        removal.matching = "file:3"
        #expect(try await fixture.cache.remove(removal) == 1)
        removal.matching = "FILE:1"
        removal.cascades = true
        let names = ["file:1", "file:2", "part:1"]
        #expect(try await fixture.cache.removable(removal) == names.map { try CascadeFixture.key($0) })
        #expect(try await fixture.seen("file:1", "file:2", "part:1", "file:3") == names.joined(separator: " "))
        #expect(try await fixture.cache.remove(removal) == 3)
        #expect(try await fixture.seen("file:1", "file:2", "part:1", "file:3") == "")
        #expect(try await fixture.cache.explain(try CascadeFixture.key("part:1")).miss == .absent)
    }

    @Test func `without a policy a delete does not cascade`() async throws {
        let fixture = try await CascadeFixture.open(policy: CachePolicy())
        try await fixture.fill(
            ("file", #"{"id":"1","next":"2"}"#), ("file", #"{"id":"2"}"#), ("file", #"{"id":"3","next":2}"#))
        try await fixture.delete(4, "file:1")
        var removal = Removal(library: "a")
        removal.resourceType = "file"
        removal.ids = ["3"]
        removal.cascades = true
        #expect(try await fixture.cache.remove(removal) == 1)
        #expect(try await fixture.seen("file:1", "file:2", "file:3") == "file:2")
    }

    @Test func `a cascaded entity stays deleted when there is no room for its tombstone`() async throws {
        let fixture = try await CascadeFixture.open {
            $0.memoryByteCountMax = 0
            $0.limits.tombstoneCountMax = 1
        }
        try await fixture.fill(
            ("file", #"{"id":"1","parts":[1,2,3]}"#), ("part", #"{"id":"1"}"#), ("part", #"{"id":"2"}"#),
            ("part", #"{"id":"3"}"#))
        try await fixture.flush()
        try await fixture.delete(5, "file:1")
        #expect(try await fixture.seen("part:1", "part:2", "part:3") == "")
        let parts = (1...3).map { Array(#"{"id":"\#($0)"}"#.utf8) }
        try await fixture.cache.transact(
            parts.map { TransactionOperation.put(type: "part", resource: $0) }, library: "a")
        try await fixture.flush()
        try await fixture.cache.transact(
            (1...3).map { TransactionOperation.delete(type: "part", id: ByteString("\($0)")) }, library: "a")
        #expect(try await fixture.seen("part:1", "part:2", "part:3") == "")
    }

    @Test func `entities after the bound of a cascade stay`() async throws {
        let fixture = try await CascadeFixture.open { $0.limits.cascadeCountMax = 2 }
        try await fixture.fill(
            ("file", #"{"id":"1","next":"2"}"#), ("file", #"{"id":"2","next":"3"}"#), ("file", #"{"id":"3","next":4}"#),
            ("file", #"{"id":"4"}"#))
        try await fixture.delete(5, "file:1")
        #expect(try await fixture.seen("file:1", "file:2", "file:3", "file:4") == "file:4")
    }
}
