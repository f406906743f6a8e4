import Dispatch
import Logging
import Synchronization
import TestTraits
import Testing
import TidemarkModel
import TidemarkStore
import TidemarkTesting

@testable import Tidemark
@testable import TidemarkSQLite

/// A file of blocks that is used while another thread reads its index.
@Suite(.pooled) struct BackgroundOpeningTests {
    private let folder: TemporaryFolder
    private let entities = MovedEntities(seed: 5)
    private let expected: [EntityKey: String]

    init() async throws {
        folder = try TemporaryFolder()
        try await entities.write(to: folder.file())
        try await MovedEntities.open(folder.file(), from: 1).close()
        expected = try #require(entities.states.last)
    }

    /// Holds the thread that reads the index until it is let go.
    private final class Gate: Sendable {
        private let semaphore = DispatchSemaphore(value: 0)
        let damaged = Mutex<[DamagedRow]>([])

        func open() { semaphore.signal() }

        /// Opens the file; the index is not read before ``open()``.
        func journal(_ path: String) async throws -> SQLiteJournal {
            var configuration = SQLiteJournal.Configuration(path: path)
            configuration.onOpening = { self.semaphore.wait() }
            configuration.onDamagedRow = { row in self.damaged.withLock { $0.append(row) } }
            return try await SQLiteJournal.open(configuration)
        }
    }

    private func stored(_ key: EntityKey, _ state: RecoveredState) throws -> StoredKey {
        StoredKey(
            library: LibraryIndex(try #require(state.libraries.firstIndex { $0.name == key.library })),
            type: TypeIndex(try #require(state.types.firstIndex(of: key.type))), id: StoredID(key.id))
    }

    private func names(_ state: RecoveredState) throws -> [StoredKey: EntityKey] {
        Dictionary(uniqueKeysWithValues: try expected.keys.map { (try stored($0, state), $0) })
    }

    private func expectAll(_ found: [StoredEntity], _ names: [StoredKey: EntityKey]) {
        var read: [EntityKey: String] = [:]
        for entity in found {
            if let name = names[entity.key] { read[name] = ByteString(entity.payload).description }
        }
        #expect(read == expected)
    }

    // MARK: A journal

    @Test func `few entities are read, found and listed while the index is being read`() async throws {
        let gate = Gate()
        let journal = try await gate.journal(folder.file())
        let state = try await journal.recover()
        #expect(state.isOpening)
        let names = try names(state)
        var found: [StoredEntity] = []
        for key in names.keys {
            found += [try await journal.read(key)].compactMap { $0 }
            #expect(try await journal.find([key]).map(\.key) == [key])
        }
        expectAll(found, names)
        let absent = StoredKey(library: 0, type: 0, id: StoredID("not there"))
        #expect(try await journal.read(absent) == nil)
        #expect(try await journal.find([absent]) == [])
        for (library, type) in Set(names.keys.map { [Int($0.library), Int($0.type)] }).map({ ($0[0], $0[1]) }) {
            let wanted = names.filter { Int($0.key.library) == library && Int($0.key.type) == type }.values.map(\.id)
            let page = try await journal.page(
                library: LibraryIndex(library), type: TypeIndex(type), after: nil, countMax: 3, constraint: nil)
            #expect(page.entities.map(\.key.id.text) == Array(wanted.sorted().prefix(3)))
        }
        #expect(journal.memoryByteCount == 0)
        gate.open()
        #expect(try await journal.finishOpening() == nil)
        #expect(journal.memoryByteCount > 0)
        expectAll(try await journal.load(Array(names.keys)).entities, names)
        try await journal.close()
    }

    @Test func `many keys, counts and a flush wait for the index`() async throws {
        let gate = Gate()
        let journal = try await gate.journal(folder.file())
        let names = try names(try await journal.recover())
        async let loaded = journal.load(Array(names.keys))
        async let counts = journal.entityCounts()
        gate.open()
        expectAll(try await loaded.entities, names)
        #expect(try await counts.reduce(0) { $0 + $1.count } == Int64(expected.count))
        try await journal.close()

        let second = Gate()
        let again = try await second.journal(folder.file())
        var flush = FlushBatch()
        flush.takenAt = 9
        async let committed: Void = again.commit(flush)
        second.open()
        try await committed
        #expect(try await again.finishOpening() == nil)
        try await again.close()
        #expect(try MovedEntities.read(folder.file()) == expected)
    }

    @Test func `a reading of the index that is cancelled begins again with the next use`() async throws {
        let gate = Gate()
        let journal = try await gate.journal(folder.file())
        let names = try names(try await journal.recover())
        let waiting = Task { try await journal.finishOpening() }
        waiting.cancel()
        gate.open()
        await #expect(throws: StorageError.self) { try await waiting.value }
        expectAll(try await journal.load(Array(names.keys)).entities, names)
        #expect(try await journal.finishOpening() == nil)
        try await journal.close()
    }

    /// Damages a segment of the index: nothing is lost by it, but removed entities may be there again.
    private func damageSegment() {
        folder.sqlite(["UPDATE segments SET body = zeroblob(40) WHERE segment = (SELECT min(segment) FROM segments)"])
    }

    /// Damages the directory of every second block.
    private func damageBlocks() {
        let damaged = "CAST(substr(body, 1, 12) || zeroblob(60) || substr(body, 73) AS BLOB)"
        folder.sqlite(["UPDATE blocks SET body = \(damaged) WHERE number % 2 = 0"])
    }

    @Test func `damage is found late, told once, and mended`() async throws {
        damageBlocks()
        let gate = Gate()
        let journal = try await gate.journal(folder.file())
        let state = try await journal.recover()
        #expect(state.libraries.allSatisfy { !$0.isStale })
        gate.open()
        let loss = try #require(try await journal.finishOpening())
        let counts = try await journal.entityCounts()
        for library in state.libraries {
            let left = counts.filter { $0.library == library.index }.reduce(0) { $0 + $1.count }
            #expect(library.entityCount + (loss.entityCountChanges[library.index] ?? 0) == left)
        }
        #expect(loss.entityCountChanges.values.contains { $0 < 0 })
        #expect(gate.damaged.withLock { Set($0.map(\.kind)) } == [.block])
        #expect(try await journal.finishOpening() == nil)
        try await journal.close()
        let problems = try SQLiteReader(path: folder.file()).verify().problems.map(\.description)
        #expect(problems == [])
        let again = try await MovedEntities.open(folder.file(), from: 1)
        let libraries = try await again.recover().libraries
        #expect(libraries.allSatisfy { $0.isStale && $0.forgottenThrough == $0.cursor })
        #expect(try await again.finishOpening() == nil)
        try await again.close()
    }

    @Test func `a flush mends the damage first, and the loss is told afterwards`() async throws {
        damageSegment()
        let gate = Gate()
        let journal = try await gate.journal(folder.file())
        _ = try await journal.recover()
        gate.open()
        var flush = FlushBatch()
        flush.takenAt = 9
        try await journal.commit(flush)
        #expect(try await journal.finishOpening() != nil)
        try await journal.close()
        #expect(try SQLiteReader(path: folder.file()).verify().problems.map(\.description) == [])
    }

    // MARK: A cache

    private func configuration() -> CacheConfiguration {
        var configuration = CacheConfiguration()
        configuration.logger.logLevel = .critical
        return configuration
    }

    @Test func `a cache answers at once, and damage makes its libraries stale with the first flush`() async throws {
        damageSegment()
        let gate = Gate()
        let cache = try await SyncCache.open(
            configuration: configuration(), journal: try await gate.journal(folder.file()))
        for (key, payload) in expected {
            guard case .found(let found) = try await cache.entity(key) else {
                Issue.record("\(key) is missing")
                continue
            }
            #expect(ByteString(found.bytes).description == payload)
        }
        #expect(await cache.libraries().map(\.phase) == [.live, .live])
        let library = try #require(expected.keys.first?.library)
        let line = """
            {"library_id":"\(library)","sequence":10,"event":{"ResourceChanged":{"resource_type":"file",\
            "resource":{"id":"new"}}}}
            """
        try await cache.ingest(Array(line.utf8))
        let written = Task { try await cache.flush() }
        gate.open()
        try await written.value
        let phases = await cache.libraries().map(\.phase)
        #expect(phases == [.stale, .stale])
        try await cache.close()
        let again = try await SyncCache.open(
            configuration: configuration(), journal: try await SQLiteJournal.open(path: folder.file()))
        #expect(await again.libraries().map(\.phase) == [.stale, .stale])
        #expect(await again.entityCount() == Int64(try MovedEntities.read(folder.file()).count))
        try await again.close()
    }

    private func damageRootPage(of table: String) throws {
        let range = DamageFixture.page(try DamageFixture.rootPage(of: table, folder.file()))
        var bytes = try DamageFixture.contents(folder.file())
        bytes.replaceSubrange(range, with: repeatElement(0xA5, count: range.count))
        try DamageFixture.write(bytes, to: folder.file())
    }

    @Test func `input that meets damage before the opening has ended is applied after it`() async throws {
        try damageRootPage(of: "key_runs")
        let gate = Gate()
        let journal = try await gate.journal(folder.file())
        let cache = try await SyncCache.open(configuration: configuration(), journal: journal)
        let library = try #require(expected.keys.first?.library)
        // So many keys wait for the index, and meet what keeps the journal from opening it.
        let lines = (0..<100).map { number in
            """
            {"library_id":"\(library)","sequence":\(10 + number),"event":{"ResourceChanged":{\
            "resource_type":"file","resource":{"id":"new-\(number)"}}}}
            """
        }
        let ingested = Task { try await cache.ingest(Array(lines.joined(separator: "\n").utf8)) }
        // From then on the search for the keys is in the journal's queue, before the end of the opening.
        while await !cache.turns.loads.isLoading { await Task.yield() }
        gate.open()
        try await ingested.value
        try await cache.flush()
        #expect(await cache.entityCount() == 100)
        let isRebuilt = if case .rebuilt = await journal.openingReport { true } else { false }
        #expect(isRebuilt)
        try await cache.close()
        #expect(try MovedEntities.read(folder.file()).count == 100)
    }

    @Test(arguments: ["blocks", "segments", "key_runs"])
    func `a page that cannot be read moves the file aside, and pending edits stay`(table: String) async throws {
        let key = try #require(expected.keys.first)
        var cache = try await SyncCache.open(
            configuration: configuration(), journal: try await SQLiteJournal.open(path: folder.file()))
        try await cache.update(
            OptimisticUpdate(
                pendingID: "edit", library: key.library,
                operations: [.patch(type: key.type, id: key.id, fields: Array(#"{"mine":true}"#.utf8), unset: [])]))
        try await cache.flush()
        try await cache.close()
        try damageRootPage(of: table)
        for turn in 0..<2 {
            let journal = try await SQLiteJournal.open(path: folder.file())
            cache = try await SyncCache.open(configuration: configuration(), journal: journal)
            let line = """
                {"library_id":"\(key.library)","sequence":\(20 + turn),"event":{"ResourceChanged":{\
                "resource_type":"file","resource":{"id":"new-\(turn)"}}}}
                """
            try await cache.ingest(Array(line.utf8))
            try await cache.flush()
            #expect(await cache.pendingLayers().map(\.pendingID) == ["edit"], "turn \(turn)")
            let isRebuilt = if case .rebuilt = await journal.openingReport { true } else { false }
            #expect(isRebuilt == (turn == 0))
            try await cache.close()
        }
        #expect(try SQLiteReader(path: folder.file()).verify().problems.map(\.description) == [])
    }

    @Test func `a cache that closes with nothing to write does not wait for the index`() async throws {
        let gate = Gate()
        let journal = try await gate.journal(folder.file())
        let cache = try await SyncCache.open(configuration: configuration(), journal: journal)
        let key = try #require(expected.keys.first)
        _ = try await cache.entity(key)
        let closed = Task { try await cache.close() }
        // The journal's last call waits for the thread, which finds that nobody needs the index.
        gate.open()
        try await closed.value
        #expect(try MovedEntities.read(folder.file()) == expected)
    }
}
