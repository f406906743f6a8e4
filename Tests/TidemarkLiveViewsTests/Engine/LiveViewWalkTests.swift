import TestTraits
import Testing
import TidemarkTestKit

/// Random rules over a random life of a cache: events, batches, edits, removals, evictions from memory and from both
/// tiers, flushes, definitions, slow readers and reopenings. What observers fold is what is read, and both are what the
/// naive model computes from the entities of the cache.
@Suite(.pooled, .tags(.model)) struct LiveViewWalkTests {
    @Test func `views of a cache in memory are what the model computes`() async throws {
        for seed in TestScale.seeds(60) {
            var walk = try await LiveViewWalk(seed: seed, storage: .memory)
            try await walk.run()
        }
    }

    @Test func `views of a cache in a file are what the model computes, with entities out of memory`() async throws {
        for seed in TestScale.seeds(30) {
            var walk = try await LiveViewWalk(seed: seed &+ 1_000_000, storage: .file)
            try await walk.run()
        }
    }
}
