import TestTraits
import Testing
import Tidemark
import TidemarkModel
import TidemarkTesting

@Suite(.pooled) struct InMemoryTests {
    private func event(_ sequence: Int, id: String) -> [UInt8] {
        Array(EventLine.change(#"{"id":"\#(id)"}"#, type: "t", sequence: Int64(sequence)).utf8)
    }

    @Test func `a cache in memory keeps entities, and the next one is empty`() async throws {
        let key = EntityKey(type: "t", id: "1")
        let cache = try await SyncCache.inMemory()
        try await cache.ingest(event(1, id: "1"))
        #expect(try await cache.entity(key) != .missing(.absent))
        try await cache.close()
        let next = try await SyncCache.inMemory()
        #expect(try await next.entity(key) == .missing(.absent))
        try await next.close()
    }

    @Test func `a script answers for the upstream, and the clock of the test dates what is stored`() async throws {
        let clock = ManualClock(now: 1_000_000, skipsUpTo: 1 << 30)
        let upstream = ScriptedUpstream()
        let cache = try await SyncCache.inMemory(upstream: upstream, clock: clock)
        try await cache.ingest(event(1, id: "1") + [0x0A] + event(3, id: "3") + [0x0A])
        async let end: Void = cache.endOfInput()
        await upstream.waitForQuestions(1)
        await upstream.answer(lines: [String(decoding: event(2, id: "2"), as: UTF8.self)])
        try await end
        guard case .found(let resource) = try await cache.entity(EntityKey(type: "t", id: "2")) else {
            Issue.record("the missing event was not applied")
            return
        }
        #expect(resource.writtenAt >= 1_000_000)
        try await cache.close()
        let asked = await upstream.asked.map(\.rawValue)
        #expect(asked == [2])
    }
}
