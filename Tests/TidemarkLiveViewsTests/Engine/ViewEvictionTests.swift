import TestTraits
import Testing
import Tidemark
import TidemarkModel
import TidemarkReferenceModel
import TidemarkTesting

/// What leaves a cache that has views, and what results say of it.
@Suite(.pooled) struct ViewEvictionTests {
    private func ingest(_ lines: [String], into world: LiveWorld) async throws {
        try await world.cache.ingest(Array((lines.joined(separator: "\n") + "\n").utf8))
    }

    @Test func `entities of the types of a view are evicted from both tiers last`() async throws {
        var configuration = CacheConfiguration()
        configuration.eviction.entityCountMax = 4
        var world = try await LiveWorld.open(MemoryJournal(), configuration, clock: SystemClock())
        let subscription = try await world.observe(rule: #"{"from":"t","aggregates":{"n":{"count":true}}}"#)
        for id in 1...3 { try await ingest([EventLine.change(#"{"id":"\#(id)"}"#, type: "t")], into: world) }
        for id in 1...4 { try await ingest([EventLine.change(#"{"id":"\#(id)"}"#, type: "u")], into: world) }
        try await world.cache.enforceLimits()
        #expect(try #require(world.sink.shown(subscription)).rows.description == #"[{"n":3}]"#)
        #expect(try #require(world.sink.shown(subscription)).stale == false)
        try await world.check("others were evicted")
        for id in ["4", "0f0c3a51-8e0b-4d5c-9c55-0a6b7f1d2e3a"] {
            try await ingest([EventLine.change(#"{"id":"\#(id)"}"#, type: "t")], into: world)
        }
        try await world.cache.enforceLimits()
        try await world.check("only its own are left")
        #expect(try #require(world.sink.shown(subscription)).stale)
        let anew = try await world.observe(rule: #"{"from":"t"}"#)
        #expect(try #require(world.sink.shown(anew)).stale == false)
        try await world.cache.close()
    }

    @Test func `removing entities and clearing the cache make no view stale, and are told`() async throws {
        var world = try await LiveWorld.open(MemoryJournal(), clock: SystemClock())
        let subscription = try await world.observe(rule: #"{"from":"t","total":true}"#)
        try await ingest((1...3).map { EventLine.change(#"{"id":"\#($0)"}"#, type: "t") }, into: world)
        var removal = Removal()
        removal.resourceType = "t"
        removal.ids = ["2"]
        _ = try await world.cache.remove(removal)
        #expect(try #require(world.sink.shown(subscription)).rows.description == #"[{"id":"1"},{"id":"3"}]"#)
        try await world.cache.clear()
        let shown = try #require(world.sink.shown(subscription))
        #expect(shown.rows.description == "[]" && !shown.stale)
        try await world.cache.close()
    }
}
