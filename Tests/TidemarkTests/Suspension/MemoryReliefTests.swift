import TestTraits
import Testing
import Tidemark
import TidemarkModel
import TidemarkTesting

/// What a warning about memory frees, and what stays.
@Suite(.pooled) struct MemoryReliefTests {
    private struct Item: Resource, Codable {
        static let resourceType = "t"
        var id: String
        var text: String
    }

    private func fill(_ cache: SyncCache, type: String = "t", count: Int) async throws {
        let text = String(repeating: "x", count: 1_000)
        for first in stride(from: 0, to: count, by: 100) {
            let lines = (first..<first + 100).map {
                EventLine.change(#"{"id":"\#($0)","text":"\#(text)"}"#, type: type) + "\n"
            }
            try await cache.ingest(Array(lines.joined().utf8))
        }
    }

    @Test func `a relief frees the memory of entities, and reads load them again`() async throws {
        let fixture = try SuspensionFixture()
        let cache = try await fixture.open()
        try await fill(cache, count: 5_000)
        try await cache.flush()
        let before = await cache.statistics().memoryByteCount
        #expect(before > 5_000_000)
        let after = await cache.relieveMemory()
        #expect(after == 0)
        #expect(await cache.statistics().memoryByteCount == 0)
        #expect(try await cache.entity(Item.self, id: "17")?.text.count == 1_000)
        #expect(await cache.entityCount() == 5_000)
        try await cache.close()
    }

    @Test func `a relief writes what is unwritten first, and leaves as much as was said`() async throws {
        let fixture = try SuspensionFixture()
        let cache = try await fixture.open()
        try await fill(cache, count: 1_000)
        let after = await cache.relieveMemory(toByteCount: 500_000)
        #expect(after <= 500_000)
        #expect(after > 400_000)
        // The most recently used ones stay.
        #expect(try fixture.stored("0") != nil)
        let stored = try #require(try fixture.stored("999"))
        #expect(stored.contains("xxx"))
        try await cache.close()
    }

    @Test func `observed entities, pending edits and types in memory only stay`() async throws {
        var configuration = CacheConfiguration()
        configuration.diskExcludedTypes = ["m"]
        let cache = try await SyncCache.inMemory(configuration: configuration)
        try await fill(cache, count: 100)
        try await fill(cache, type: "m", count: 100)
        let all = await cache.statistics().memoryByteCount
        var updates = cache.observe(Item.self, id: "5").makeAsyncIterator()
        _ = try await updates.next()
        _ = try await cache.optimistically { try $0.put(Item(id: "7", text: "edited")) }
        let after = await cache.relieveMemory()
        #expect(after < all * 6 / 10)
        #expect(after > all * 4 / 10)
        #expect(try await cache.entity(Item.self, id: "7")?.text == "edited")
        #expect(await cache.entityCount() == 200)
        try await cache.close()
    }

    @Test func `a suspended cache frees its memory too`() async throws {
        let fixture = try SuspensionFixture()
        let cache = try await fixture.open()
        try await fill(cache, count: 100)
        try await cache.suspend()
        // Everything is written, so nothing has to stay.
        #expect(await cache.relieveMemory() == 0)
        #expect(await storageCode { _ = try await cache.value("5") } == .suspended)
        try await cache.resume()
        #expect(try await cache.value("5") != nil)
        try await cache.close()
    }
}
