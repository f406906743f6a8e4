import TestTraits
import Testing
import Tidemark
import TidemarkModel
import TidemarkTesting

/// Lists that were read and did not change, and lists that were not read since a restart.
@Suite(.pooled) struct KeptListTests {
    private static func resource(_ id: String, _ value: Int = 0, byteCount: Int = 0) -> String {
        #"{"id":"\#(id)","v":\#(value),"s":"\#(String(repeating: "x", count: byteCount))"}"#
    }

    private static func change(_ id: String, _ value: Int) -> String {
        EventLine.change(resource(id, value), library: "a")
    }

    private static func input(_ number: Int) -> String { "{\"n\":\(number)}" }

    /// Returns the address of the first resource of an answer.
    private func place(_ fixture: QueryFixture, _ number: Int) async throws -> UnsafeRawPointer? {
        let answer = try await fixture.read(Self.input(number)).get().answer
        return answer.entities.first?.withUnsafeBytes { $0.baseAddress }
    }

    @Test func `an unchanged list is served as it was read, and a changed one with its changes`() async throws {
        let fixture = try await QueryFixture.open()
        try await fixture.put(["p", "q"].map { Self.resource($0, 1) }, Self.input(0))
        try await fixture.put([Self.resource("r", 1)], Self.input(1))
        let first = try await fixture.read(Self.input(0)).get().answer
        let again = try await fixture.read(Self.input(0)).get().answer
        #expect(again == first)
        for (one, other) in zip(first.entities, again.entities) {
            #expect(one.withUnsafeBytes { $0.baseAddress } == other.withUnsafeBytes { $0.baseAddress })
        }
        let other = try await place(fixture, 1)
        try await fixture.input.feed([Self.change("q", 2)])
        #expect(
            try await fixture.read(Self.input(0)).get().texts
                == [Self.resource("p", 1), Self.resource("q", 2)])
        // The other list did not change.
        #expect(try await place(fixture, 1) == other)
        await fixture.cache.checkInvariants()
    }

    @Test func `the oldest kept list is evicted first, by number and by bytes`() async throws {
        let fixture = try await QueryFixture.open()
        for number in 0..<70 {
            try await fixture.put([Self.resource("k\(number)")], Self.input(number))
            _ = try await fixture.read(Self.input(number))
        }
        #expect(await fixture.cache.listCounts.keptCount == 64)
        for number in 100..<106 {
            try await fixture.put([Self.resource("k\(number)", byteCount: 2_000_000)], Self.input(number))
            _ = try await fixture.read(Self.input(number))
        }
        let counts = await fixture.cache.listCounts
        #expect(counts.keptCount == 4)
        #expect(counts.keptByteCount > 8_000_000 && counts.keptByteCount <= 8 << 20)
        // A list that is too large is not kept, and evicts no other list.
        try await fixture.put((0..<5).map { Self.resource("l\($0)", byteCount: 2_000_000) }, Self.input(200))
        #expect(try await fixture.read(Self.input(200)).get().answer.entities.count == 5)
        #expect(await fixture.cache.listCounts.keptCount == 4)
        try await fixture.cache.clear(library: nil)
        #expect(await fixture.cache.listCounts == (0, 0, 0))
        await fixture.cache.checkInvariants()
    }

    @Test func `a cache with little memory keeps few lists`() async throws {
        let fixture = try await QueryFixture.open { $0.memoryByteCountMax = 1 << 20 }
        for number in 0..<4 {
            try await fixture.put([Self.resource("k\(number)", byteCount: 25_000)], Self.input(number))
            _ = try await fixture.read(Self.input(number))
        }
        let counts = await fixture.cache.listCounts
        #expect(counts.keptCount == 2 && counts.keptByteCount <= 1 << 16)
    }

    @Test func `a list is not kept when one of its entities is evicted from memory`() async throws {
        let fixture = try await QueryFixture.open { $0.memoryByteCountMax = 4 << 20 }
        try await fixture.put((0..<10).map { Self.resource("k\($0)", byteCount: 1_000) }, Self.input(0))
        let wanted = try await fixture.read(Self.input(0)).get().answer
        #expect(await fixture.cache.listCounts.keptCount == 1)
        for number in 0..<20 {
            try await fixture.put((0..<4).map { Self.resource("l\(number)-\($0)", byteCount: 100_000) }, Self.input(1))
            try await fixture.cache.flush()
        }
        #expect(await eventually { await fixture.cache.listCounts.keptCount == 0 })
        #expect(try await fixture.read(Self.input(0)).get().answer == wanted)
        await fixture.cache.checkInvariants()
    }

    @Test func `after a restart a read builds its own list, and a change builds all`() async throws {
        let store = MemoryJournal.Store()
        var fixture = try await QueryFixture.open(MemoryJournal(store: store))
        for number in 0..<3 {
            try await fixture.put(["p", "q\(number)"].map { Self.resource($0, 1) }, Self.input(number))
        }
        try await fixture.cache.close()
        fixture = try await QueryFixture.open(MemoryJournal(store: store))
        #expect(await fixture.cache.listCounts.unbuiltCount == 3)
        #expect(try await fixture.stored(Self.input(1)) == [Self.resource("p", 1), Self.resource("q1", 1)])
        #expect(await fixture.cache.listCounts.unbuiltCount == 2)
        #expect(await fixture.cache.observationSize.namedKeyCount == 2)
        await fixture.cache.checkInvariants()
        try await fixture.input.feed([Self.change("p", 2)])
        #expect(await fixture.cache.listCounts.unbuiltCount == 0)
        for number in 0..<3 {
            #expect(
                try await fixture.stored(Self.input(number)) == [Self.resource("p", 2), Self.resource("q\(number)", 1)])
        }
        await fixture.cache.checkInvariants()
    }

    @Test func `a list that was never read is written again unchanged`() async throws {
        let store = MemoryJournal.Store()
        var fixture = try await QueryFixture.open(MemoryJournal(store: store))
        try await fixture.put(["p", "q"].map { Self.resource($0, 1) }, Self.input(0))
        try await fixture.cache.close()
        for _ in 0..<2 {
            fixture = try await QueryFixture.open(MemoryJournal(store: store))
            // The write touches another library only, so that there is something to write.
            try await fixture.cache.store(
                QueryFixture.result([Self.resource("z")]),
                for: try QueryKey(library: "b", method: "m", input: Array("{}".utf8)))
            try await fixture.cache.close()
        }
        fixture = try await QueryFixture.open(MemoryJournal(store: store))
        #expect(try await fixture.stored(Self.input(0)) == [Self.resource("p", 1), Self.resource("q", 1)])
    }
}
