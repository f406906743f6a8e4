import TestTraits
import Testing
import Tidemark
import TidemarkModel
import TidemarkReferenceModel
import TidemarkTesting

/// Ids of layers, their dependencies, and temporary ids that get real ones.
///
/// - Source: Protocol/optimistic.md, methods.
@Suite(.pooled) struct OptimisticNamesTests {
    private static let rule = #","order":[{"path":"/n"}]"#

    @Test func `a pending id is refused while it is pending, and may be used again after it settled`() async throws {
        let fixture = try await OptimisticFixture.open()
        try await fixture.change(1, #"{"id":"x","n":1}"#)
        #expect(try await fixture.lay("m1", .patch("x", #"{"n":2}"#)) == .done)
        #expect(try await fixture.lay("m1", .patch("x", #"{"n":3}"#)) == .failed("duplicate_pending"))
        #expect(try await fixture.lay("m1", .patch("x", #"{"n":3}"#), library: "b") == .failed("duplicate_pending"))
        #expect(try await fixture.shows("x") == #"{"id":"x","n":2}"#)
        #expect(try await fixture.commit("m2") == .failed("unknown_pending"))
        #expect(try await fixture.commit("m1", library: "b") == .failed("unknown_pending"))
        #expect(try await fixture.rollBack("m1", library: "b") == .failed("unknown_pending"))
        #expect(try await fixture.rollBack("m1", library: "a") == .done)
        #expect(try await fixture.rollBack("m1") == .failed("unknown_pending"))
        #expect(try await fixture.lay("m1", .patch("x", #"{"n":3}"#)) == .done)
        #expect(try await fixture.shows("x") == #"{"id":"x","n":3}"#)
    }

    @Test(arguments: [Int.max, Int.max / 2 + 1, Int.max - 31])
    func `a rule's limit may be any number`(limit: Int) async throws {
        for elementCountMax in [1_000_000, 2, 0] {
            let fixture = try await OptimisticFixture.open { $0.limits.queryElementCountMax = elementCountMax }
            try await fixture.change(1, #"{"id":"a","n":1}"#, #"{"id":"b","n":2}"#, #"{"id":"c","n":3}"#)
            try await fixture.put([#"{"id":"a"}"#], rule: Self.rule + #","limit":\#(limit)"#)
            let list = try await fixture.list()
            try await fixture.change(2, #"{"id":"d","n":0}"#)
            let later = try await fixture.list()
            #expect(list != nil && later != nil, "\(elementCountMax)")
        }
    }

    @Test func `the type of a confirmation comes from itself or from its layer`() async throws {
        let fixture = try await OptimisticFixture.open()
        let x = #"{"id":"x","n":9}"#
        try await fixture.lay("m1", .put(#"{"id":"x"}"#), .delete(type: "tag", id: "y"))
        #expect(try await fixture.commit("m1", confirmed: [#"{"id":"z"}"#]) == .failed("invalid_params"))
        #expect(try await fixture.commit("m1", confirmed: [x, #"{"n":1}"#]) == .failed("invalid_params"))
        #expect(await fixture.layers() == ["m1 pending"])
        #expect(try await fixture.shows("x") == #"{"id":"x"}"#)
        #expect(try await fixture.commit("m1", confirmed: [x]) == .done)
        #expect(try await fixture.shows("x") == x)
        try await fixture.lay("m2", .put(#"{"id":"t"}"#))
        #expect(try await fixture.commit("m2", confirmed: [#"{"id":"u","n":2}"#]) == .done)
        #expect(try await fixture.shows("u") == #"{"id":"u","n":2}"#)
        try await fixture.lay("m3", .delete("u"))
        #expect(try await fixture.commit("m3", confirmed: [#"{"id":"v"}"#], type: "tag") == .done)
        #expect(
            try await fixture.fixture.cache.read(EntityKey(library: "a", type: "tag", id: "v"), fields: nil).miss == nil
        )
        // The delete was not confirmed.
        #expect(try await fixture.shows("u") == #"{"id":"u","n":2}"#)
    }

    @Test func `a rollback includes dependent layers, a confirmation releases them`() async throws {
        let fixture = try await OptimisticFixture.open()
        try await fixture.change(1, #"{"id":"x","n":1}"#)
        try await fixture.put([#"{"id":"x"}"#])
        func chain() async throws {
            try await fixture.lay("m1", .patch("x", #"{"n":2}"#))
            try await fixture.lay("m2", .patch("x", #"{"t":"a"}"#), dependsOn: ["m1"])
            try await fixture.lay("m3", .patch("x", #"{"u":"b"}"#), dependsOn: ["m2"])
            try await fixture.lay("m4", .patch("x", #"{"v":"c"}"#))
        }
        try await chain()
        let list = try await fixture.observe()
        try await fixture.rollBack("m1")
        #expect(await fixture.layers() == ["m4 pending"])
        #expect(fixture.trace(list) == [#"{"id":"x","n":2,"t":"a","u":"b","v":"c"}"#, #"{"id":"x","n":1,"v":"c"}"#])
        try await fixture.rollBack("m4")
        try await chain()
        try await fixture.commit("m1", sequence: 100)
        #expect(await fixture.fixture.cache.pendingLayers().map(\.dependsOn) == [[], [], ["m2"], []])
        try await fixture.rollBack("m1")
        #expect(await fixture.layers() == ["m2 pending", "m3 pending", "m4 pending"])
        try await fixture.change(2, #"{"id":"x","n":3}"#, mutation: "m2")
        #expect(await fixture.fixture.cache.pendingLayers().map(\.dependsOn) == [[], []])
        #expect(
            try await fixture.lay("m5", .delete("x"), dependsOn: ["m3", "gone"]) == .failed("unknown_pending"))
        #expect(try await fixture.lay("m5", .delete("x"), dependsOn: ["m3", "m4"]) == .done)
        try await fixture.rollBack("m4")
        #expect(await fixture.layers() == ["m3 pending"])
    }

    @Test func `layers up to the limit are accepted, and no more`() async throws {
        let fixture = try await OptimisticFixture.open(MemoryJournal()) {
            $0.limits.layerCountMax = 2
            $0.limits.layerByteCountMax = 1_000
        }
        try await fixture.lay("m1", .put(#"{"id":"x"}"#))
        try await fixture.lay("m2", .put(#"{"id":"y"}"#))
        #expect(try await fixture.lay("m3", .put(#"{"id":"z"}"#)) == .failed("limit_exceeded"))
        #expect(try await fixture.read("z").miss == .absent)
        try await fixture.rollBack("m1")
        let long = String(repeating: "l", count: 1_000)
        #expect(try await fixture.lay("m3", .put(#"{"id":"z","t":"\#(long)"}"#)) == .failed("limit_exceeded"))
        #expect(try await fixture.lay("m3", .put(#"{"id":"z"}"#)) == .done)
        #expect(await fixture.layers() == ["m2 pending", "m3 pending"])
    }

    @Test func `a real id reaches later layers, lists and observers, and outlasts a restart`() async throws {
        let store = MemoryJournal.Store()
        let fixture = try await OptimisticFixture.open(MemoryJournal(store: store))
        try await fixture.change(1, #"{"id":"b","n":5}"#)
        try await fixture.put([], "1", rule: Self.rule) { $0.isLocal = true }
        let list = try await fixture.observe("1")
        let entity = try await fixture.watch("t1")
        try await fixture.lay("m1", .put(#"{"id":"t1","n":1}"#))
        try await fixture.lay("m2", .patch("t1", #"{"t":"s"}"#), dependsOn: ["m1"])
        #expect(try await fixture.list("1") == "t1* b")
        try await fixture.commit("m1", confirmed: [#"{"id":"r1","n":1}"#], sequence: 2, realIDs: ["t1": "r1"])
        #expect(try await fixture.list("1") == "r1* b")
        #expect(try await fixture.shows("r1") == #"{"id":"r1","n":1,"t":"s"}"#)
        #expect(try await fixture.read("t1").miss == .absent)
        try await fixture.change(2, #"{"id":"r1","n":1}"#, mutation: "m1")
        try await fixture.change(3, #"{"id":"r1","n":2}"#)
        let b = #"{"id":"b","n":5}"#
        #expect(
            fixture.trace(list) == [
                b, #"{"id":"t1","n":1} \#(b)"#, #"{"id":"t1","n":1,"t":"s"} \#(b)"#,
                #"{"id":"r1","n":1,"t":"s"} \#(b)"#,
                #"{"id":"r1","n":2,"t":"s"} \#(b)"#,
            ])
        #expect(
            fixture.told(entity) == [
                #"{"id":"t1","n":1}"#, #"{"id":"t1","n":1,"t":"s"}"#, #"{"id":"r1","n":1,"t":"s"}"#,
                #"{"id":"r1","n":2,"t":"s"}"#,
            ])
        try await fixture.fixture.cache.flush()
        let second = try await OptimisticFixture.open(MemoryJournal(store: store))
        #expect(await second.layers() == ["m2 pending"])
        #expect(try await second.shows("r1") == #"{"id":"r1","n":2,"t":"s"}"#)
        #expect(try await second.list("1") == "r1* b")
        try await second.rollBack("m2")
        let third = try await OptimisticFixture.open(MemoryJournal(store: store))
        #expect(try await third.shows("r1") == #"{"id":"r1","n":2}"#)
        #expect(await third.layers() == [])
    }

    @Test func `a late event makes no entity of a temporary id that got its real one`() async throws {
        let fixture = try await OptimisticFixture.open()
        try await fixture.change(1, #"{"id":"t1","n":1}"#)
        try await fixture.change(3, #"{"id":"b"}"#)
        try await fixture.fixture.cache.endOfInput()
        try await fixture.lay("m1", .patch("t1", #"{"n":2}"#))
        try await fixture.commit("m1", confirmed: [#"{"id":"r1","n":2}"#], realIDs: ["t1": "r1"])
        try await fixture.change(2, #"{"id":"t1","n":0}"#)
        #expect(try await fixture.read("t1").miss == .absent)
        #expect(try await fixture.shows("r1") == #"{"id":"r1","n":2}"#)
        #expect(
            await fixture.fixture.cache.libraries().map(\.lost) == [
                [LostRange(first: EventSequence(2), last: EventSequence(2))]
            ])
    }

    @Test func `a list that has the real id already loses the temporary one, one that has not is renamed in place`()
        async throws
    {
        let fixture = try await OptimisticFixture.open()
        try await fixture.put([#"{"id":"a"}"#, #"{"id":"t1","n":1}"#, #"{"id":"b"}"#])
        try await fixture.put([#"{"id":"t1"}"#, #"{"id":"r1","n":2}"#, #"{"id":"b"}"#], "1")
        try await fixture.lay("m1", .patch("t1", #"{"n":7}"#))
        let list = try await fixture.observe("1")
        try await fixture.commit("m1", realIDs: ["t1": "r1"])
        #expect(try await fixture.list() == "a r1* b")
        #expect(try await fixture.list("1") == "r1* b")
        #expect(fixture.trace(list).last == #"{"id":"r1","n":7} {"id":"b"}"#)
        try await fixture.rollBack("m1")
        #expect(try await fixture.shows("r1") == #"{"id":"r1","n":2}"#)
        #expect(try await fixture.read("t1").miss == .absent)
    }

    @Test func `an id that no layer names is not renamed, nor one of another type`() async throws {
        let fixture = try await OptimisticFixture.open()
        try await fixture.put([#"{"id":"t1","n":1}"#])
        try await fixture.lay("m1", .put(type: "tag", resource: #"{"id":"t1"}"#))
        try await fixture.commit("m1", realIDs: ["t1": "r1", "t2": "r2"])
        #expect(try await fixture.list() == "t1")
        #expect(
            try await fixture.fixture.cache.read(EntityKey(library: "a", type: "tag", id: "r1"), fields: nil).entity
                == Array(#"{"id":"r1"}"#.utf8))
    }

    @Test func `the event of a layer under its real id settles it, and nothing flickers`() async throws {
        let fixture = try await OptimisticFixture.open()
        try await fixture.put([], "1", rule: Self.rule) { $0.isLocal = true }
        let list = try await fixture.observe("1")
        try await fixture.lay("m1", .put(#"{"id":"t1","n":1}"#))
        try await fixture.commit("m1", realIDs: ["t1": "r1"])
        try await fixture.change(1, #"{"id":"r1","n":1}"#, mutation: "m1")
        #expect(await fixture.layers() == [])
        #expect(fixture.trace(list) == ["", #"{"id":"t1","n":1}"#, #"{"id":"r1","n":1}"#])
    }
}
