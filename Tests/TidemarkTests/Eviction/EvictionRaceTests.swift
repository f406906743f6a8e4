import TestTraits
import Testing
import TidemarkModel
import TidemarkReferenceModel
import TidemarkStore
import TidemarkTestKit
import TidemarkTesting

@testable import Tidemark

/// Concurrent evictions, loads, answers and changes: no entity returns to an older state. Laws: L1, L9.
@Suite(.tags(.race), .pooled) struct EvictionRaceTests {
    /// A fixture with one entity that is not in memory, and a journal whose loads wait.
    private func evictedFixture(_ journal: MemoryJournal) async throws -> QueryFixture {
        let fixture = try await QueryFixture.open(journal) {
            $0.memoryByteCountMax = 0
            $0.flush.interval = .milliseconds(1 << 40)
            $0.flush.busyInterval = .milliseconds(1 << 40)
        }
        try await fixture.input.feed([
            EventLine.change(#"{"id":"k1","n":1}"#, library: "a")
        ])
        try await fixture.cache.flush()
        #expect(await fixture.cache.residentCount == 0)
        return fixture
    }

    @Test(arguments: [0, 1, 2])
    func `a load under way does not restore an entity that is removed meanwhile`(way: Int) async throws {
        let journal = MemoryJournal()
        let fixture = try await evictedFixture(journal)
        let key = Lines.key("k1")
        await journal.pauseLoads()
        async let read = fixture.cache.read(key, fields: nil)
        await journal.waitUntilHeld()
        async let removed: Void = {
            switch way {
            case 0:
                var removal = Removal(library: "a")
                removal.resourceType = "file"
                removal.ids = ["k1"]
                _ = try await fixture.cache.remove(removal)
            case 1: try await fixture.cache.clear(library: "a")
            default:
                try await fixture.input.feed([
                    EventLine.delete("k1", library: "a")
                ])
            }
        }()
        await journal.resumeLoads()
        _ = try await read
        try await removed
        for _ in 0..<2 {
            #expect(try await fixture.cache.read(key, fields: nil).entity == nil)
            #expect(try await fixture.cache.list(type: "file", library: "a", after: nil, countMax: 9).entities == [])
            try await fixture.cache.flush()
        }
        #expect(await fixture.cache.entityCount() == 0)
        await fixture.cache.checkInvariants()
    }

    @Test func `an event that waits for its entity does not restore it after a removal`() async throws {
        let journal = MemoryJournal()
        let fixture = try await evictedFixture(journal)
        // An entity of another library is in the journal alone.
        try await fixture.input.feed([
            EventLine.change(#"{"id":"k1","n":1}"#, library: "b")
        ])
        try await fixture.cache.flush()
        var removal = Removal(library: "a")
        removal.resourceType = "file"
        removal.ids = ["k1"]
        await journal.pauseLoads()
        async let removed = fixture.cache.remove(removal)
        await journal.waitUntilHeld()
        async let merged: Void = fixture.input.feed([
            #"{"library_id":"a","event":{"ResourceChanged":{"resource_type":"file","#
                + #""resource":{"id":"k1","m":2},"metadata":{}}}}"#
        ])
        await journal.waitUntilHeld(count: 2)
        await journal.resumeLoads()
        #expect(try await removed == 1)
        try await merged
        for _ in 0..<2 {
            let entity = try await fixture.cache.read(Lines.key("k1"), fields: nil).entity
            #expect(entity.map { String(decoding: $0, as: UTF8.self) } == #"{"id":"k1","m":2}"#)
            #expect(await fixture.cache.entityCount() == 2)
            try await fixture.cache.flush()
        }
        await fixture.cache.checkInvariants()
        #expect(await journal.stored().count == 2)
    }

    /// Stores a local query that lists all files.
    private func putList(of fixture: QueryFixture) async throws {
        try await fixture.put([]) {
            $0.isLocal = true
            $0.membership = Array(#"{"resource_type":"file"}"#.utf8)
        }
    }

    @Test func `a list that is completed has the entities that are loaded meanwhile`() async throws {
        let journal = MemoryJournal()
        let fixture = try await evictedFixture(journal)
        await journal.pauseLoads()
        async let explained = fixture.cache.explain(Lines.key("k1"))
        await journal.waitUntilHeld()
        async let put: Void = putList(of: fixture)
        await journal.waitUntilHeld(count: 2)
        await journal.resumeLoads()
        _ = try await explained
        try await put
        #expect(try await fixture.stored() == [#"{"id":"k1","n":1}"#])
        await fixture.cache.checkInvariants()
    }

    @Test func `a list that is completed has the entity that an edit covers meanwhile`() async throws {
        let journal = MemoryJournal()
        let fixture = try await evictedFixture(journal)
        let edits = OptimisticFixture(fixture: fixture)
        await journal.pauseLoads()
        async let laid = edits.lay("m1", .patch("k1", #"{"n":2}"#))
        await journal.waitUntilHeld()
        async let put: Void = putList(of: fixture)
        await journal.waitUntilHeld(count: 2)
        await journal.resumeLoads()
        #expect(try await laid == .done)
        try await put
        #expect(try await fixture.stored() == [#"{"id":"k1","n":2}"#])
        try await edits.rollBack("m1")
        #expect(try await fixture.stored() == [#"{"id":"k1","n":1}"#])
        await fixture.cache.checkInvariants()
    }

    @Test func `an answer older than an event does not restore an entity evicted after it`() async throws {
        let fixture = try await QueryFixture.open {
            $0.eviction.entityCountMax = 0
            $0.flush.interval = .milliseconds(1 << 40)
            $0.flush.busyInterval = .milliseconds(1 << 40)
        }
        let reply = try await fixture.begin("{}", .networkOnly)
        await fixture.upstream.waitForQuestions(1)
        try await fixture.input.feed([
            EventLine.change(#"{"id":"k1","n":2}"#, library: "a", sequence: 1)
        ])
        try await fixture.cache.enforceLimits()
        #expect(await fixture.cache.entityCount() == 0)
        await fixture.upstream.answer(
            .success(QueryFixture.result([#"{"id":"k1","n":1}"#, #"{"id":"k2","n":1}"#])), to: try QueryFixture.key())
        #expect(await eventually { reply.isThere })
        #expect(try await fixture.cache.read(Lines.key("k1"), fields: nil).miss == .evicted)
        #expect(try await fixture.cache.read(Lines.key("k2"), fields: nil).miss == nil)
        // The result is a miss, not a shorter list.
        #expect(try await fixture.stored() == nil)
    }

    @Test func `an event that leaves its entity evicted is newer than an answer from before`() async throws {
        let fixture = try await QueryFixture.open {
            $0.eviction.entityCountMax = 0
            $0.flush.interval = .milliseconds(1 << 40)
            $0.flush.busyInterval = .milliseconds(1 << 40)
        }
        let observed = FoldingSink()
        // Writes are remembered from here on.
        let reply = try await fixture.begin("{}", .networkOnly, sink: observed)
        await fixture.upstream.waitForQuestions(1)
        try await fixture.input.feed([
            EventLine.change(#"{"id":"k1","n":1}"#, library: "a", sequence: 1)
        ])
        try await fixture.put([#"{"id":"k9","n":9}"#], #"{"q":1}"#) { $0.asOf = EventSequence(9) }
        try await fixture.cache.enforceLimits()
        // An answer may have written a later version before the entity was evicted, so the event cannot be applied.
        try await fixture.input.feed([
            EventLine.change(#"{"id":"k1","n":2}"#, library: "a", sequence: 2)
        ])
        var result = QueryFixture.result([#"{"id":"k1","n":1}"#, #"{"id":"k2","n":1}"#])
        result.asOf = EventSequence(1)
        await fixture.upstream.answer(.success(result))
        #expect(await eventually { reply.isThere })
        #expect(try await fixture.cache.read(Lines.key("k1"), fields: nil).miss == .evicted)
        // The result is a miss, not a shorter list.
        #expect(try await fixture.stored() == nil)
        await fixture.cache.checkInvariants()
    }

    @Test func `a delete older than an answer does not concern an entity evicted after it`() async throws {
        let fixture = try await QueryFixture.open {
            $0.eviction.entityCountMax = 0
            $0.flush.interval = .milliseconds(1 << 40)
            $0.flush.busyInterval = .milliseconds(1 << 40)
        }
        let key = Lines.key("k1")
        try await fixture.input.feed([EventLine.heartbeat(1, library: "a")])
        try await fixture.put([#"{"id":"k1","n":4}"#]) { $0.asOf = EventSequence(4) }
        try await fixture.cache.enforceLimits()
        try await fixture.input.feed([
            EventLine.delete("k1", library: "a", sequence: 2),
            EventLine.change(#"{"id":"k1","n":3}"#, library: "a", sequence: 3),
        ])
        #expect(try await fixture.cache.read(key, fields: nil).miss == .evicted)
        try await fixture.input.feed([
            EventLine.change(#"{"id":"k1","n":4}"#, library: "a", sequence: 4),
            EventLine.delete("k1", library: "a", sequence: 5),
        ])
        #expect(try await fixture.cache.read(key, fields: nil).miss == .deleted)
        await fixture.cache.checkInvariants()
    }

    @Test func `an answer of an earlier place in the log does not restore an evicted entity`() async throws {
        let fixture = try await QueryFixture.open {
            $0.eviction.entityCountMax = 0
            $0.flush.interval = .milliseconds(1 << 40)
            $0.flush.busyInterval = .milliseconds(1 << 40)
        }
        try await fixture.input.feed([
            EventLine.change(#"{"id":"k1","n":5}"#, library: "a", sequence: 5)
        ])
        try await fixture.cache.enforceLimits()
        try await fixture.put([#"{"id":"k1","n":4}"#]) { $0.asOf = EventSequence(4) }
        #expect(try await fixture.cache.read(Lines.key("k1"), fields: nil).miss == .evicted)
        #expect(try await fixture.stored() == nil)
        try await fixture.put([#"{"id":"k1","n":5}"#]) { $0.asOf = EventSequence(5) }
        #expect(try await fixture.stored() == [#"{"id":"k1","n":5}"#])
    }

    @Test func `a read notices an eviction between its two lookups`() async throws {
        let journal = MemoryJournal()
        let fixture = try await QueryFixture.open(journal) {
            $0.memoryByteCountMax = 0
            $0.eviction.entityCountMax = 0
            $0.flush.interval = .milliseconds(1 << 40)
            $0.flush.busyInterval = .milliseconds(1 << 40)
        }
        try await fixture.input.feed([
            EventLine.change(#"{"id":"k1","n":1}"#, library: "a")
        ])
        await journal.pauseLoads()
        async let settled: Void = fixture.cache.enforceLimits()
        // The rows were read already; evictions are decided when the rows are returned.
        await journal.waitUntilHeld()
        async let read = fixture.cache.read(Lines.key("k1"), fields: nil)
        await journal.resumeLoads()
        try await settled
        let found = try await read
        #expect(
            found.entity.map { String(decoding: $0, as: UTF8.self) == #"{"id":"k1","n":1}"# }
                ?? (found.miss == .evicted))
        try await fixture.cache.enforceLimits()
        #expect(try await fixture.cache.read(Lines.key("k1"), fields: nil).miss == .evicted)
        #expect(await fixture.cache.entityCount() == 0)
        #expect(await journal.stored().isEmpty)
    }
}
