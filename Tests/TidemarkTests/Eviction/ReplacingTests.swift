import TestTraits
import Testing
import TidemarkModel
import TidemarkStore
import TidemarkTestKit
import TidemarkTesting

@testable import Tidemark

/// Events that replace or delete entities which only the journal has: nothing is read, and nothing else changes.
@Suite(.pooled) struct ReplacingTests {
    private static func change(_ id: Int, _ value: Int, _ sequence: Int64, metadata: String? = nil) -> String {
        EventLine.change(resource(id, value), metadata: metadata, library: "a", sequence: sequence)
    }

    private static func resource(_ id: Int, _ value: Int) -> String { #"{"id":"k\#(id)","n":\#(value)}"# }

    /// A fixture with ten entities, none in memory, and the log at 10.
    private func fixture(_ journal: MemoryJournal) async throws -> QueryFixture {
        let fixture = try await QueryFixture.open(journal) {
            $0.memoryByteCountMax = 0
            $0.limits.entityByteCountMax = 200
            $0.flush.interval = .milliseconds(1 << 40)
            $0.flush.busyInterval = .milliseconds(1 << 40)
        }
        try await fixture.input.feed((0..<10).map { Self.change($0, $0, Int64($0) + 1) })
        try await fixture.cache.flush()
        #expect(await fixture.cache.residentCount == 0)
        return fixture
    }

    /// The values that the journal stores after a flush, by id.
    private func stored(_ fixture: QueryFixture, _ journal: MemoryJournal) async throws -> [String: String] {
        try await fixture.cache.flush()
        await fixture.cache.checkInvariants()
        let entities = await journal.stored()
        #expect(await fixture.cache.entityCount() == Int64(entities.count))
        return Dictionary(
            uniqueKeysWithValues: entities.map {
                ("\($0.key.id.text)", String(decoding: $0.value.payload, as: UTF8.self))
            })
    }

    @Test func `events that replace or delete whole entities read none of them`() async throws {
        let journal = MemoryJournal()
        let fixture = try await fixture(journal)
        let before = await journal.loadedKeyCount
        try await fixture.input.feed([
            Self.change(1, 100, 11),
            EventLine.batch([Self.resource(2, 200), Self.resource(30, 300)], library: "a", sequence: 12),
            EventLine.delete("k4", library: "a", sequence: 13),
            Self.change(1, 101, 14),
        ])
        #expect(await journal.loadedKeyCount == before)
        let found = try await stored(fixture, journal)
        #expect(found["k1"] == Self.resource(1, 101) && found["k2"] == Self.resource(2, 200))
        #expect(found["k30"] == Self.resource(30, 300) && found["k4"] == nil && found["k5"] == Self.resource(5, 5))
        #expect(found.count == 10)
    }

    @Test func `an event that needs what is stored reads it`() async throws {
        let journal = MemoryJournal()
        let fixture = try await fixture(journal)
        var before = await journal.loadedKeyCount
        func reads() async -> Int {
            let now = await journal.loadedKeyCount
            defer { before = now }
            return now - before
        }
        // A merge; a merge and a replacement of one entity in one batch; an event without a sequence; a late one.
        try await fixture.input.feed([Self.change(1, 1, 11, metadata: "{}")])
        #expect(await reads() == 1)
        try await fixture.input.feed([Self.change(2, 2, 12, metadata: "{}"), Self.change(2, 22, 13)])
        #expect(await reads() == 1)
        try await fixture.input.feed([EventLine.change(Self.resource(3, 33), library: "a")])
        #expect(await reads() == 1)
        try await fixture.input.feed([Self.change(4, 44, 9)])
        #expect(await reads() == 1)
        let found = try await stored(fixture, journal)
        #expect(found["k2"] == Self.resource(2, 22) && found["k3"] == Self.resource(3, 33))
        #expect(found["k4"] == Self.resource(4, 4))
    }

    @Test func `an entity stays as it is when the event that would replace it is refused, or waits`() async throws {
        let journal = MemoryJournal()
        let fixture = try await fixture(journal)
        let large = #"{"id":"k1","text":"\#(String(repeating: "x", count: 300))"}"#
        try await fixture.input.feed([
            EventLine.change(large, library: "a", sequence: 11),
            // Held, because 12 is missing.
            Self.change(2, 200, 13),
        ])
        #expect(
            try await fixture.cache.read(Lines.key("k1"), fields: nil).entity.map {
                String(decoding: $0, as: UTF8.self)
            } == Self.resource(1, 1))
        var found = try await stored(fixture, journal)
        #expect(found["k1"] == Self.resource(1, 1) && found["k2"] == Self.resource(2, 2) && found.count == 10)
        try await fixture.input.feed([Self.change(5, 500, 12)])
        found = try await stored(fixture, journal)
        #expect(found["k2"] == Self.resource(2, 200) && found["k5"] == Self.resource(5, 500) && found.count == 10)
    }

    @Test(arguments: [0, 1]) func `an event that waits for its row stores the entity anew after a removal`(
        way: Int
    ) async throws {
        let journal = MemoryJournal()
        let fixture = try await fixture(journal)
        await journal.pauseLoads()
        async let event: Void = fixture.input.feed([Self.change(1, 100, 11)])
        await journal.waitUntilHeld()
        async let removed: Void = {
            if way == 0 {
                var removal = Removal(library: "a")
                removal.resourceType = "file"
                removal.ids = ["k1"]
                _ = try await fixture.cache.remove(removal)
            } else {
                try await fixture.cache.clear(library: "a")
            }
            try await fixture.cache.flush()
        }()
        await journal.resumeLoads()
        try await event
        try await removed
        let found = try await stored(fixture, journal)
        // The removal came before the event, or after it.
        #expect([nil, Self.resource(1, 100)].contains(found["k1"]))
        let shown = try await fixture.cache.read(Lines.key("k1"), fields: nil).entity
        #expect(shown.map { String(decoding: $0, as: UTF8.self) } == found["k1"])
    }

    @Test func `an entity that a list shows is read, so that the change is told`() async throws {
        let journal = MemoryJournal()
        let fixture = try await fixture(journal)
        try await fixture.put([Self.resource(1, 1)])
        try await fixture.cache.flush()
        let before = await journal.loadedKeyCount
        try await fixture.input.feed([Self.change(1, 100, 11), Self.change(2, 200, 12)])
        #expect(await journal.loadedKeyCount - before <= 1)
        #expect(try await fixture.stored() == [Self.resource(1, 100)])
    }

    @Test func `an event whose row is being searched when a document is watched reads its entity`() async throws {
        let journal = MemoryJournal()
        let fixture = try await fixture(journal)
        let before = await journal.loadedKeyCount
        await journal.pauseLoads()
        async let event: Void = fixture.input.feed([Self.change(1, 100, 11)])
        await journal.waitUntilHeld()
        await fixture.cache.attach { WatchingWing() }
        await journal.resumeLoads()
        try await event
        #expect(await journal.loadedKeyCount == before + 1)
        #expect(try await stored(fixture, journal)["k1"] == Self.resource(1, 100))
    }
}

/// A wing with one observer that hears nothing.
private final class WatchingWing: CacheWing {
    let observerCount = 1

    func note(_ change: ChangeRecord) {}
    func distribute(in cache: isolated SyncCache) {}
    func catchUp(_ sink: any ObserverSink, isForced: Bool, in cache: isolated SyncCache) {}
    func cancel(_ subscription: SubscriptionID, in cache: isolated SyncCache) -> Bool { false }
    func detach(_ sink: any ObserverSink, in cache: isolated SyncCache) {}
    func failFetches(_ reason: String, in cache: isolated SyncCache) async {}
}
