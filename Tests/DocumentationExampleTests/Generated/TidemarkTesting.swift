// swift-format-ignore-file
// Generated from doc comments by make generate-doc-examples.
import Foundation
import Tidemark
import TidemarkModel
import TidemarkTesting

/// The example in Sources/TidemarkTesting/Clock/ManualClock.swift.
func exampleTidemarkTesting1(cache: SyncCache) async throws {
    let clock = ManualClock(now: 1_700_000_000_000)
    let cache = try await SyncCache.inMemory(clock: clock)
    clock.advance(by: .seconds(60))  // wakes timers of the cache that are due
    print(clock.now(), await cache.entityCount())
}

/// The example in Sources/TidemarkTesting/Conformance/JournalConformance.swift.
func exampleTidemarkTesting2(cache: SyncCache) async throws {
    func check(_ seed: UInt64, open: () async throws -> any Journal) async throws {
        var conformance = JournalConformance()
        conformance.flushCount = 100
        do {
            try await conformance.run(seed: seed, open: open)
        } catch let failure as JournalConformance.Failure {
            print(failure)  // seed 7, step 12: …
        }
    }
}

/// The example in Sources/TidemarkTesting/Generation/Share.swift.
func exampleTidemarkTesting3(cache: SyncCache) async throws {
    print(Share(partsPerMillion: 10_000) == Share(text: "1%"))  // true
}

/// The example in Sources/TidemarkTesting/Generation/SyntheticSettings.swift.
func exampleTidemarkTesting4(cache: SyncCache) async throws {
    var settings = SyntheticSettings()
    settings.entityCount = 10_000
    settings.updatesPerEntity = 4
    settings.gapRate = Share(partsPerMillion: 10_000)
    settings.duplicateRate = Share(partsPerMillion: 10_000)
    print(settings.problem ?? "ready")
}

/// The example in Sources/TidemarkTesting/Generation/SyntheticStream.swift.
func exampleTidemarkTesting5(cache: SyncCache) async throws {
    var settings = SyntheticSettings()
    settings.entityCount = 200_000
    settings.updatesPerEntity = 4
    var stream = SyntheticStream(settings)
    while let chunk = stream.nextChunk() { try await cache.ingest(chunk.stream) }
    print(stream.counts.events, await cache.counts().applied)
}

/// The example in Sources/TidemarkTesting/Inputs/EventLine.swift.
func exampleTidemarkTesting6(cache: SyncCache) async throws {
    let line = EventLine.change(#"{"id":"1","name":"Sea"}"#, type: "photo", sequence: 7)
    try await cache.ingest(Array(line.utf8))
}

/// The example in Sources/TidemarkTesting/Inputs/ScriptedQueryUpstream.swift.
func exampleTidemarkTesting7(cache: SyncCache) async throws {
    struct Photo: Resource {
        static let resourceType = "photo"
        var id: String
    }
    let upstream = ScriptedQueryUpstream()
    let cache = try await SyncCache.inMemory(queryUpstream: upstream)
    async let photos = cache.query(Photo.self, method: "photos.list")
    await upstream.waitForQuestions(1)
    await upstream.answer(.success(QueryResult(resourceType: "photo", resources: [Array(#"{"id":"1"}"#.utf8)])))
    print(try await photos.items.count)  // 1
}

/// The example in Sources/TidemarkTesting/Inputs/ScriptedUpstream.swift.
func exampleTidemarkTesting8(cache: SyncCache) async throws {
    let upstream = ScriptedUpstream()
    let cache = try await SyncCache.inMemory(upstream: upstream)
    for sequence: Int64 in [1, 3] {
        try await cache.ingest(Array(EventLine.change(#"{"id":"1"}"#, sequence: sequence).utf8))
    }
    await upstream.waitForQuestions(1)  // asked for 2
    await upstream.answer(lines: [EventLine.change(#"{"id":"1"}"#, sequence: 2)])
}

/// The example in Sources/TidemarkTesting/Journals/SyncCache+InMemory.swift.
func exampleTidemarkTesting9(cache: SyncCache) async throws {
    let clock = ManualClock()
    let cache = try await SyncCache.inMemory(clock: clock)
    try await cache.ingest(Array(EventLine.change(#"{"id":"1"}"#, type: "photo").utf8))
    print(await cache.entityCount())  // 1
}

/// The example in Sources/TidemarkTesting/Processes/TemporaryFolder.swift.
func exampleTidemarkTesting10(cache: SyncCache) async throws {
    let folder = try TemporaryFolder()
    let path = try folder.write(Array("{}".utf8), to: "log.ndjson")
    print(path, try folder.read("log.ndjson").count)
}

/// The example in Sources/TidemarkTesting/Random/SeededGenerator.swift.
func exampleTidemarkTesting11(cache: SyncCache) async throws {
    var random = SeededGenerator(seed: 7)
    print(random.below(6) + 1, random.pick(["sea", "shore"]), Int.random(in: 0..<10, using: &random))
}
