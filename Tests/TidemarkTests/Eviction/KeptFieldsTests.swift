import TestTraits
import Testing
import TidemarkModel
import TidemarkReferenceModel
import TidemarkSQLite
import TidemarkStore
import TidemarkTestKit
import TidemarkTesting

@testable import Tidemark

/// Fields that stay when their entity is evicted: what reads know of it, and what restores it. Law: L1.
@Suite(.pooled) struct KeptFieldsTests {
    private static let whole = #"{"id":"a","name":"A","size":1,"place":{"x":1,"y":2}}"#

    private func open(_ journal: any Journal = MemoryJournal()) async throws -> QueryFixture {
        try await QueryFixture.open(journal) {
            $0.eviction.entityCountMax = 0
            $0.eviction.keptFields = ["file": ["name", "unused"]]
            // Entities are evicted only when the test asks for it.
            $0.flush.interval = .milliseconds(1 << 40)
            $0.flush.busyInterval = .milliseconds(1 << 40)
        }
    }

    /// A fixture with an entity that has only `id` and `name` left.
    private func reduced(_ journal: any Journal = MemoryJournal()) async throws -> QueryFixture {
        let fixture = try await open(journal)
        try await change(fixture, Self.whole)
        try await fixture.cache.enforceLimits()
        return fixture
    }

    private func change(_ fixture: QueryFixture, _ resource: String, metadata: String = "null") async throws {
        try await fixture.input.feed([EventLine.change(resource, metadata: metadata, library: "a")])
    }

    private func read(_ fixture: QueryFixture, _ fields: [ByteString]? = nil) async throws -> String {
        let read = try await fixture.cache.read(EntityKey(library: "a", type: "file", id: "a"), fields: fields)
        return read.entity.map { String(decoding: $0, as: UTF8.self) } ?? read.miss?.rawValue ?? ""
    }

    @Test func `kept fields are read, and all others are reported as evicted, after a restart too`() async throws {
        let store = MemoryJournal.Store()
        var fixture = try await reduced(MemoryJournal(store: store))
        for _ in 0..<2 {
            #expect(try await read(fixture) == "evicted")
            #expect(try await read(fixture, ["name"]) == #"{"name":"A"}"#)
            #expect(try await read(fixture, ["name", "id"]) == #"{"id":"a","name":"A"}"#)
            #expect(try await read(fixture, ["size"]) == "evicted")
            #expect(try await read(fixture, ["name", "size"]) == "evicted")
            // Nobody knows any more whether the entity ever had that field.
            #expect(try await read(fixture, ["unused"]) == "evicted")
            #expect(
                try await fixture.cache.entity(EntityKey(library: "a", type: "file", id: "a")) == .missing(.evicted))
            #expect(
                try await fixture.cache.list(type: "file", library: "a", after: nil, countMax: 9).entities.isEmpty)
            let explained = try await fixture.cache.explain(EntityKey(library: "a", type: "file", id: "a"))
            #expect(explained.miss == .evicted && explained.fields.map(\.name) == ["id", "name"])
            #expect(await fixture.cache.entityCount() == 1)
            try await fixture.cache.close()
            fixture = try await open(MemoryJournal(store: store))
            try await fixture.cache.enforceLimits()
        }
        try await fixture.cache.close()
    }

    @Test func `merged fields are known again, except for objects that are merged into an unknown value`() async throws
    {
        let fixture = try await reduced()
        try await change(fixture, #"{"id":"a","size":2,"place":{"x":5},"tags":[1]}"#, metadata: "{}")
        #expect(try await read(fixture, ["name", "size", "tags"]) == #"{"name":"A","size":2,"tags":[1]}"#)
        #expect(try await read(fixture, ["place"]) == "evicted")
        #expect(try await read(fixture) == "evicted")
        try await change(fixture, #"{"id":"a","place":{"x":6}}"#, metadata: #"{"no_merge_fields":["place"]}"#)
        #expect(try await read(fixture, ["place"]) == #"{"place":{"x":6}}"#)
        // The object into which fields are merged is complete now.
        try await change(fixture, #"{"id":"a","place":{"y":7}}"#, metadata: "{}")
        #expect(try await read(fixture, ["place"]) == #"{"place":{"x":6,"y":7}}"#)
        #expect(try await read(fixture) == "evicted")
        try await fixture.cache.enforceLimits()
        #expect(try await read(fixture, ["place"]) == "evicted")
        #expect(try await read(fixture, ["name"]) == #"{"name":"A"}"#)
    }

    @Test(arguments: [Self.whole, #"{"id":"a","name":"A"}"#])
    func `a complete event restores the entity, also when it equals the kept fields`(resource: String) async throws {
        let fixture = try await reduced()
        let sink = FoldingSink()
        let reply = WatchReply()
        await fixture.cache.observe(EntityKey(library: "a", type: "file", id: "a"), fields: nil, sink: sink) {
            reply.take($0)
        }
        #expect(try reply.subscription() != nil)
        try await change(fixture, resource)
        #expect(try await read(fixture) == resource)
        #expect(try await read(fixture, ["unused"]) == "{}")
        #expect(sink.entities.map { $0.entity.map { String(decoding: $0, as: UTF8.self) } } == [resource])
    }

    @Test func `a list read before shows the loss of its entity's fields`() async throws {
        let fixture = try await open()
        try await fixture.put([Self.whole])
        #expect(try await fixture.read().get().texts == [Self.whole])
        try await fixture.cache.enforceLimits()
        await #expect(throws: CacheError.self) { try await fixture.read().get() }
        #expect(
            try await fixture.read("{}") { $0.select = ["file": ["name"]] }.get().texts == [#"{"name":"A"}"#])
    }

    @Test func `an observer is notified of known fields only`() async throws {
        let fixture = try await reduced()
        let (all, named) = (FoldingSink(), FoldingSink())
        let key = EntityKey(library: "a", type: "file", id: "a")
        for (sink, fields) in [(all, nil), (named, ["name"] as [ByteString]?)] {
            await fixture.cache.observe(key, fields: fields, sink: sink) { _ in }
        }
        try await change(fixture, #"{"id":"a","name":"B","size":3}"#, metadata: "{}")
        #expect(all.entities.isEmpty)
        #expect(named.entities.map(\.entity) == [Array(#"{"name":"B"}"#.utf8)])
        // The entity is pinned while it is observed, so none of its fields is evicted.
        try await fixture.cache.enforceLimits()
        #expect(try await read(fixture, ["size"]) == #"{"size":3}"#)
    }

    @Test func `lists are served to readers of kept fields, and to all after an answer`() async throws {
        let fixture = try await open()
        let other = #"{"id":"b","name":"B","size":2}"#
        try await fixture.put([Self.whole, other])
        try await fixture.put([Self.whole], #"{"rule":1}"#) {
            $0.membership = Array(#"{"resource_type":"file","where":{"path":"/size","lt":9}}"#.utf8)
        }
        try await fixture.cache.enforceLimits()
        #expect(try await fixture.stored() == nil)
        let select = { (request: inout QueryRequest) in request.select = ["file": ["name"]] }
        #expect(
            try await fixture.read("{}", .cacheOnly, select).get().texts == [#"{"name":"A"}"#, #"{"name":"B"}"#])
        // A rule cannot be evaluated on the kept fields: the list loses the entity and becomes stale.
        #expect(try await fixture.stored(#"{"rule":1}"#) == [])
        #expect(try await fixture.isStale(#"{"rule":1}"#) == true)
        // An observer of kept fields continues with them.
        let sink = FoldingSink()
        let seen = try await fixture.read("{}", .cacheOnly, sink: sink, select).get().subscription
        try await change(fixture, #"{"id":"a","name":"A2"}"#, metadata: "{}")
        #expect(
            sink.observer(try #require(seen))?.list == [#"{"name":"A2"}"#, #"{"name":"B"}"#].map { Array($0.utf8) })
        try await fixture.cache.cancel(try #require(seen))
        try await fixture.cache.enforceLimits()
        let answer = #"{"id":"a","name":"A3","size":3}"#
        try await fixture.put([answer, other])
        #expect(try await fixture.stored() == [answer, other])
        #expect(try await read(fixture) == "evicted")
        #expect(try await read(fixture, ["size"]) == #"{"size":3}"#)
        #expect(sink.problems.isEmpty)
        await fixture.cache.checkInvariants()
    }

    @Test func `a fetched list is returned to the reader that asked for it`() async throws {
        let fixture = try await open()
        try await fixture.put([Self.whole])
        try await fixture.cache.enforceLimits()
        let reply = try await fixture.begin("{}", .cacheFirst)
        await fixture.upstream.waitForQuestions(1)
        await fixture.upstream.answer(
            .success(QueryFixture.result([#"{"id":"a","name":"A","size":4}"#])), to: try QueryFixture.key())
        #expect(await eventually { reply.isThere })
        #expect(try reply.replies.first?.get().texts == [#"{"id":"a","name":"A","size":4}"#])
    }

    @Test func `a layer over kept fields shows its own, and a complete layer shows all`() async throws {
        let fixture = OptimisticFixture(fixture: try await reduced())
        try await fixture.lay("p", .patch(type: "file", id: "a", fields: #"{"size":9}"#, unset: []))
        #expect(try await read(fixture.fixture) == "evicted")
        #expect(try await read(fixture.fixture, ["name", "size"]) == #"{"name":"A","size":9}"#)
        try await fixture.lay("q", .put(type: "file", resource: #"{"id":"a","n":1}"#))
        #expect(try await read(fixture.fixture) == #"{"id":"a","n":1}"#)
        try await fixture.rollBack("q")
        #expect(try await read(fixture.fixture) == "evicted")
        try await fixture.rollBack("p")
        #expect(try await read(fixture.fixture, ["size"]) == "evicted")
        await fixture.fixture.cache.checkInvariants()
    }

    @Test func `a transaction cannot read a reduced entity, but can patch it and put it complete`() async throws {
        let fixture = try await reduced()
        try await fixture.cache.transact(
            [.patch(type: "file", id: "a", fields: Array(#"{"size":5}"#.utf8), unset: [])], library: "a")
        #expect(try await read(fixture, ["name", "size"]) == #"{"name":"A","size":5}"#)
        #expect(try await read(fixture) == "evicted")
        #expect(try await fixture.cache.base(of: EntityKey(library: "a", type: "file", id: "a")) == nil)
        try await fixture.cache.transact([.put(type: "file", resource: Array(Self.whole.utf8))], library: "a")
        #expect(try await read(fixture) == Self.whole)
    }

    @Test func `a data file keeps the mark of a reduced entity, and readers beside the writer see it`() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path("cache.db")
        let key = EntityKey(library: "a", type: "file", id: "a")
        var fixture = try await open(try await SQLiteJournal.open(path: path))
        try await change(fixture, Self.whole)
        try await change(fixture, #"{"id":"b","size":1}"#)
        try await fixture.input.feed([
            EventLine.change(#"{"id":"t"}"#, type: "tag", library: "a")
        ])
        try await fixture.cache.enforceLimits()
        let reader = try SQLiteReader(path: path)
        #expect(try reader.entity(key) == .evicted)
        #expect(try reader.visibleEntity(key).answer == .evicted)
        #expect(try reader.entity(EntityKey(library: "a", type: "tag", id: "t")) == .evicted)
        #expect(try reader.entity(EntityKey(library: "a", type: "tag", id: "u")) == .absent)
        var steps = 0
        try reader.walk { _ in
            steps += 1
            return true
        }
        #expect(steps == 0)
        #expect(try reader.verify().isSound && reader.verify().entityCount == 2)
        try await fixture.cache.close()
        fixture = try await open(try await SQLiteJournal.open(path: path))
        #expect(try await read(fixture) == "evicted")
        #expect(try await read(fixture, ["name"]) == #"{"name":"A"}"#)
        // A layer is shown together with the entity; alone it is not the complete entity.
        try await OptimisticFixture(fixture: fixture).lay(
            "p", .patch(type: "file", id: "a", fields: #"{"size":9}"#, unset: []))
        #expect(try reader.visibleEntity(key).answer == .evicted)
        try await OptimisticFixture(fixture: fixture).lay("q", .put(type: "file", resource: #"{"id":"a","n":1}"#))
        #expect(try reader.visibleEntity(key).answer != .evicted)
        try await fixture.cache.close()
    }
}
