import Dispatch
import Logging
import Synchronization
import TestTraits
import Testing
import Tidemark
import TidemarkModel
import TidemarkSQLite
import TidemarkTesting

/// Work that waits for the disk while a cache is being closed is finished and written, or refused. Laws: L5.
@Suite(.pooled) struct ClosingTests {
    /// A journal's queue that can be made to wait.
    private final class Lane: Sendable {
        private let state = Mutex<(isHeld: Bool, calls: [@Sendable () -> Void])>((false, []))
        private let queue = DispatchQueue(label: "lane")

        func enqueue(_ call: @escaping @Sendable () -> Void) {
            let isHeld = state.withLock { state in
                if state.isHeld { state.calls.append(call) }
                return state.isHeld
            }
            if !isHeld { queue.async(execute: call) }
        }

        func hold() { state.withLock { $0.isHeld = true } }

        var heldCount: Int { state.withLock { $0.calls.count } }

        /// Runs the waiting calls, in the order in which they came.
        func release() {
            state.withLock { state in
                state.isHeld = false
                for call in state.calls { queue.async(execute: call) }
                state.calls = []
            }
        }
    }

    private func open(_ folder: TemporaryFolder, _ lane: Lane) async throws -> SyncCache {
        var journal = SQLiteJournal.Configuration(path: folder.path("cache.db"))
        journal.enqueue = { lane.enqueue($0) }
        var configuration = CacheConfiguration()
        configuration.logger.logLevel = .critical
        configuration.memoryByteCountMax = 0
        return try await SyncCache.open(configuration: configuration, journal: try await SQLiteJournal.open(journal))
    }

    @Test func `work that waits for the disk during a close is written or refused`() async throws {
        let folder = try TemporaryFolder()
        let lane = Lane()
        let cache = try await open(folder, lane)
        try await cache.ingest(Array(EventLine.change(#"{"id":"x","n":1}"#, type: "t").utf8))
        try await cache.flush()
        // The entity is on the disk alone, so a merge has to read it.
        lane.hold()
        let merge = Task {
            do throws(StorageError) {
                try await cache.ingest(
                    Array(EventLine.change(#"{"id":"x","m":2}"#, type: "t", metadata: "{}").utf8))
                return true
            } catch {
                return false
            }
        }
        #expect(await eventually { lane.heldCount > 0 })
        let closing = Task { try await cache.close() }
        for _ in 0..<100 { await Task.yield() }
        lane.release()
        try await closing.value
        let isDone = await merge.value
        let again = try await open(folder, lane)
        let read = try await again.read(EntityKey(type: "t", id: "x"), fields: nil)
        let wanted = isDone ? #"{"id":"x","n":1,"m":2}"# : #"{"id":"x","n":1}"#
        #expect(read.entity.map { String(decoding: $0, as: UTF8.self) } == wanted)
        #expect(isDone)
        try await again.close()
    }

    @Test(arguments: [0, 256 << 20])
    func `a closed cache answers nothing, not even from memory`(memoryByteCountMax: Int) async throws {
        let folder = try TemporaryFolder()
        var configuration = CacheConfiguration()
        configuration.logger.logLevel = .critical
        configuration.memoryByteCountMax = memoryByteCountMax
        let cache = try await SyncCache.open(
            configuration: configuration, journal: try await SQLiteJournal.open(path: folder.path("cache.db")))
        try await cache.ingest(Array(EventLine.change(#"{"id":"x","n":1}"#, type: "t").utf8))
        let query = QueryKey(library: "", method: "m", canonicalInput: "null")
        try await cache.store(QueryResult(resourceType: "t", resources: [Array(#"{"id":"x"}"#.utf8)]), for: query)
        let key = EntityKey(type: "t", id: "x")
        try await cache.flush()
        try await cache.close()
        let refusal = CacheError(.storageFailed, "the cache was closed: open it again")
        await #expect(throws: refusal) { _ = try await cache.read(key, fields: nil) }
        await #expect(throws: refusal) { _ = try await cache.read(key, fields: ["id"]) }
        await #expect(throws: refusal) { _ = try await cache.list(type: "t", library: "", after: nil, countMax: 1) }
        await #expect(throws: refusal) { _ = try await cache.entities(type: "t") }
        await #expect(throws: refusal) { _ = try await cache.explain(key) }
        await #expect(throws: refusal) { _ = try await cache.query(Thing.self, method: "m", input: JSONValue.null) }
        await #expect(throws: refusal) { _ = try await cache.entity(Thing.self, id: "x") }
        await #expect(throws: refusal) {
            _ = try await cache.readTransaction { try await $0.read(type: "t", id: "x") }
        }
        await #expect(throws: refusal) { _ = try await cache.removable(Removal()) }
        await #expect(throws: StorageError(.closed, "the cache was closed", advice: "open it again")) {
            _ = try await cache.entity(key)
        }
        await #expect(throws: StorageError(.closed, "the cache was closed", advice: "open it again")) {
            try await cache.flush()
        }
        // The state at the end does not answer a read of an entity.
        #expect(await cache.entityCount() == 1)
        try await cache.close()
    }

    private struct Thing: Resource {
        static let resourceType = "t"
        var id: String
    }

    @Test func `a closed cache changes nothing`() async throws {
        let folder = try TemporaryFolder()
        let cache = try await open(folder, Lane())
        try await cache.close()
        await #expect(throws: StorageError.self) {
            try await cache.ingest(Array(EventLine.change(#"{"id":"x"}"#, type: "t").utf8))
        }
        await #expect(throws: CacheError.self) { try await cache.clear(library: nil) }
        await #expect(throws: CacheError.self) { _ = try await cache.invalidate(Invalidation(library: "")) }
    }
}
