import TestTraits
import Testing
import Tidemark
import TidemarkModel
import TidemarkStore
import TidemarkTestKit
import TidemarkTesting

/// States: what their end removes, also of entities that only the journal has, and units at their bound.
@Suite(.pooled) struct StateTests {
    private static func line(_ sequence: Int64?, _ event: String, epoch: String, hasMore: Bool = false) -> String {
        let number = sequence.map { #""sequence":\#($0),"# } ?? ""
        let more = hasMore ? #""more":true,"# : ""
        return #"{"library_id":"a",\#(number)\#(more)"epoch":"\#(epoch)","event":\#(event)}"#
    }

    private static func change(_ id: Int, _ sequence: Int64, epoch: String) -> String {
        line(
            sequence, #"{"ResourceChanged":{"resource_type":"file","resource":{"id":"k\#(id)","n":\#(id)}}}"#,
            epoch: epoch)
    }

    private static func reset(_ epoch: String) -> String { line(0, #"{"Reset":{"state":true}}"#, epoch: epoch) }

    private static func end(_ sequence: Int64, epoch: String) -> String {
        line(sequence, #"{"Heartbeat":{"last_sequence":\#(sequence)}}"#, epoch: epoch)
    }

    /// A cache whose entities leave memory with each flush.
    private func fixture(_ journal: MemoryJournal) async throws -> QueryFixture {
        try await QueryFixture.open(journal) { $0.memoryByteCountMax = 0 }
    }

    private func found(_ cache: SyncCache, _ ids: Range<Int>) async throws -> [Int] {
        var found: [Int] = []
        for id in ids {
            if case .found = try await cache.entity(Lines.key("k\(id)")) { found.append(id) }
        }
        return found
    }

    @Test func `the end of a state removes entities that only the journal has`() async throws {
        let journal = MemoryJournal()
        let fixture = try await fixture(journal)
        try await fixture.input.feed((0..<10).map { Self.change($0, Int64($0) + 1, epoch: "e") })
        try await fixture.cache.flush()
        try await fixture.input.feed([Self.reset("z")] + (0..<4).map { Self.change($0, Int64($0) + 1, epoch: "z") })
        // What the state itself wrote leaves memory too, and stays.
        try await fixture.cache.flush()
        #expect(try await found(fixture.cache, 0..<10) == Array(0..<10))
        try await fixture.input.feed([Self.end(5, epoch: "z")])
        #expect(try await found(fixture.cache, 0..<10) == Array(0..<4))
        #expect(await fixture.cache.entityCount() == 4)
        #expect(await fixture.cache.status(of: "a").phase == .live)
        try await fixture.cache.flush()
        #expect(await journal.stored().count == 4)
        await fixture.cache.checkInvariants()
    }

    @Test func `a state in one batch with the lines before it removes what only the journal has`() async throws {
        let journal = MemoryJournal()
        let fixture = try await fixture(journal)
        try await fixture.input.feed((0..<10).map { Self.change($0, Int64($0) + 1, epoch: "e") })
        try await fixture.cache.flush()
        try await fixture.input.feed(
            [Self.change(20, 11, epoch: "e"), Self.reset("z"), Self.change(3, 1, epoch: "z"), Self.end(2, epoch: "z")])
        #expect(try await found(fixture.cache, 0..<30) == [3])
        try await fixture.cache.flush()
        #expect(await journal.stored().count == 1)
        await fixture.cache.checkInvariants()
    }

    @Test func `the end of a state that waits behind a gap removes what only the journal has`() async throws {
        let journal = MemoryJournal()
        let fixture = try await fixture(journal)
        try await fixture.input.feed((0..<5).map { Self.change($0, Int64($0) + 1, epoch: "e") })
        try await fixture.cache.flush()
        try await fixture.input.feed([Self.reset("z"), Self.end(2, epoch: "z")])
        try await fixture.cache.flush()
        try await fixture.input.feed([Self.change(1, 1, epoch: "z")])
        #expect(try await found(fixture.cache, 0..<5) == [1])
        await fixture.cache.checkInvariants()
    }

    @Test func `a unit past its bound takes effect as far as it has come`() async throws {
        let fixture = try await fixture(MemoryJournal())
        let padding = String(repeating: "p", count: 8 << 20)
        for sequence in 1...9 as ClosedRange<Int64> {
            let event =
                #"{"ResourceChanged":{"resource_type":"file","resource":{"id":"k\#(sequence)","p":"\#(padding)"}}}"#
            try await fixture.input.feed([Self.line(sequence, event, epoch: "e", hasMore: true)])
            let cursor = await fixture.cache.status(of: "a").cursor
            #expect(cursor == (sequence < 8 ? nil : EventSequence(8)), "line \(sequence)")
        }
        try await fixture.input.feed([Self.change(10, 10, epoch: "e")])
        #expect(await fixture.cache.status(of: "a").cursor == EventSequence(10))
    }

    @Test func `a departure deletes nothing along, and a delete does`() async throws {
        let fixture = try await QueryFixture.open(MemoryJournal()) {
            $0.policy = CachePolicy(types: [CascadeFixture.type("album", [("photo", "photo", true)])])
        }
        func change(_ type: String, _ resource: String, _ sequence: Int64) -> String {
            Self.line(
                sequence, #"{"ResourceChanged":{"resource_type":"\#(type)","resource":\#(resource)}}"#, epoch: "e")
        }
        func delete(_ album: String, _ sequence: Int64, _ reason: String) -> String {
            Self.line(
                sequence, #"{"ResourceDeleted":{"resource_type":"album","resource_id":"\#(album)"\#(reason)}}"#,
                epoch: "e")
        }
        try await fixture.input.feed([
            change("photo", #"{"id":"p1"}"#, 1), change("photo", #"{"id":"p2"}"#, 2),
            change("album", #"{"id":"x","photo":"p1"}"#, 3), change("album", #"{"id":"y","photo":"p2"}"#, 4),
            delete("x", 5, #","reason":"scope""#), delete("y", 6, ""),
        ])
        func key(_ id: ByteString) -> EntityKey { EntityKey(library: "a", type: "photo", id: id) }
        guard case .found = try await fixture.cache.entity(key("p1")) else {
            Issue.record("the photo of the album that left is gone")
            return
        }
        #expect(try await fixture.cache.entity(key("p2")) == .missing(.deleted))
    }
}
