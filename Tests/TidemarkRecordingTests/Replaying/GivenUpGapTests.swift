import TestTraits
import Testing
import Tidemark
import TidemarkModel
import TidemarkRecording
import TidemarkTesting

/// A gap that is declared lost right after a batch, with almost no memory. Found by replaying recorded walks.
@Suite(.pooled) struct GivenUpGapTests {
    @Test func `a held event is merged into an entity that was evicted from memory`() async throws {
        // The timers of this clock never fire: the next batch declares the gap lost, not a timer.
        let clock = ReplayClock(1_000)
        var configuration = CacheConfiguration()
        configuration.memoryByteCountMax = 0
        let cache = try await SyncCache.open(configuration: configuration, journal: MemoryJournal(), clock: clock)
        func ingest(_ sequence: Int64, _ resource: String, metadata: String? = nil) async throws {
            let line = EventLine.change(resource, metadata: metadata, library: "a", sequence: sequence)
            try await cache.ingest(Array(line.utf8))
            try await cache.flush()
        }
        try await ingest(1, #"{"id":"1","kept":true}"#)
        try await ingest(3, #"{"id":"1","merged":true}"#, metadata: "{}")
        clock.set(5_000)
        try await ingest(4, #"{"id":"2"}"#)
        let answer = try await cache.entity(EntityKey(library: "a", type: "file", id: "1"))
        guard case .found(let entity) = answer else {
            Issue.record("it is \(answer)")
            return
        }
        #expect(String(decoding: entity.bytes, as: UTF8.self) == #"{"id":"1","kept":true,"merged":true}"#)
        try await cache.close()
    }
}
