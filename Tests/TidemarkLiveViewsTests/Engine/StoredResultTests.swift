import TestTraits
import Testing
import Tidemark
import TidemarkLiveViews
import TidemarkModel
import TidemarkTesting

/// The stored results of defined views.
@Suite(.pooled) struct StoredResultTests {
    private static let rule = #"{"from":"t","order":[{"path":"t/n"}],"offset":1,"limit":2,"total":true}"#

    private func ingest(_ ids: ClosedRange<Int>, into world: LiveWorld) async throws {
        let lines = ids.map { EventLine.change(#"{"id":"\#($0)","n":\#($0)}"#, type: "t") + "\n" }
        try await world.cache.ingest(Array(lines.joined().utf8))
    }

    private func texts(_ reply: ViewReply) -> [String] { reply.rows.map { String(decoding: $0, as: UTF8.self) } }

    @Test func `a result is answered right after a crash, before it can be computed`() async throws {
        let store = MemoryJournal.Store()
        var world = try await LiveWorld.open(MemoryJournal(store: store), clock: SystemClock())
        try await world.define("v", Self.rule)
        try await ingest(1...4, into: world)
        try await world.cache.flush()
        // Nothing is closed: a crash.
        let journal = MemoryJournal(store: await store.copy())
        await journal.pauseLoads()
        let opened = try await LiveWorld.open(journal, clock: SystemClock())
        let reply = try await opened.read(opened.request(.name("v")))
        #expect(texts(reply) == [#"{"id":"2","n":2}"#, #"{"id":"3","n":3}"#])
        #expect(reply.total == 4 && !reply.status.isStale)
        let moved = try await opened.read(opened.request(.name("v"), offset: 0, limit: 1))
        #expect(texts(moved) == [#"{"id":"1","n":1}"#])
        await journal.resumeLoads()
        try await ingest(5...5, into: opened)
        let later = try await opened.read(opened.request(.name("v"), offset: 3, limit: 9))
        #expect(texts(later) == [#"{"id":"4","n":4}"#, #"{"id":"5","n":5}"#] && later.total == 5)
        try await opened.cache.close()
        try await world.cache.close()
    }

    @Test func `a result that does not describe the entities any more is removed with the flush that changes them`()
        async throws
    {
        let store = MemoryJournal.Store()
        var world = try await LiveWorld.open(MemoryJournal(store: store), clock: SystemClock())
        try await world.define("v", Self.rule)
        try await ingest(1...4, into: world)
        try await world.cache.close()
        // The view cannot be computed while the journal is not read, and the change needs no read.
        let journal = MemoryJournal(store: store)
        let opened = try await LiveWorld.open(journal, clock: SystemClock())
        try await ingest(10...10, into: opened)
        try await opened.cache.flush()
        let last = try await LiveWorld.open(MemoryJournal(store: await store.copy()), clock: SystemClock())
        let reply = try await last.read(last.request(.name("v"), offset: 4, limit: 1))
        #expect(texts(reply) == [#"{"id":"10","n":10}"#] && reply.total == 5)
        for world in [opened, last] { try await world.cache.close() }
    }

    private func defined(in store: MemoryJournal.Store) async throws {
        var world = try await LiveWorld.open(MemoryJournal(store: store), clock: SystemClock())
        try await world.define("v", Self.rule)
        try await ingest(1...4, into: world)
        try await world.cache.close()
        #expect(try await MemoryJournal(store: store).records(of: "view-result").count == 1)
    }

    @Test func `a process without views removes the results that its changes would make untrue`() async throws {
        let store = MemoryJournal.Store()
        try await defined(in: store)
        let plain = try await SyncCache.open(journal: MemoryJournal(store: store))
        try await ingest(5...5, into: LiveWorld(cache: plain))
        try await plain.close()
        #expect(try await MemoryJournal(store: store).records(of: "view-result").isEmpty)
        #expect(try await MemoryJournal(store: store).records(of: "view").count == 1)
        let opened = try await LiveWorld.open(MemoryJournal(store: store), clock: SystemClock())
        #expect(try await opened.read(opened.request(.name("v"))).total == 5)
        try await opened.cache.close()
    }

    @Test func `a result is not used where something changed before the views were there`() async throws {
        let store = MemoryJournal.Store()
        try await defined(in: store)
        let journal = MemoryJournal(store: store)
        let cache = try await SyncCache.open(journal: journal)
        let world = LiveWorld(cache: cache)
        try await ingest(5...5, into: world)
        await journal.pauseLoads()
        try await ViewEngine.attach(to: cache)
        let listed = await cache.withWing(ViewEngine.self) { engine, _ in engine.list(in: "").map(\.rowCount) }
        #expect(listed == [0], "the stored result is shown: \(listed)")
        await journal.resumeLoads()
        #expect(try await world.read(world.request(.name("v"))).total == 5)
        try await cache.close()
    }

    @Test func `the result of a view that is not held any more is removed with the next flush`() async throws {
        let store = MemoryJournal.Store()
        try await defined(in: store)
        let plain = try await SyncCache.open(journal: MemoryJournal(store: store))
        try await plain.write([ViewRecord(library: "", name: "v").change(to: nil)])
        try await plain.close()
        let journal = MemoryJournal(store: store)
        try await SyncCache.open(journal: journal).write([
            RecordChange(kind: "view-result", key: "0:v", body: Array("{}".utf8))
        ])
        let opened = try await LiveWorld.open(MemoryJournal(store: store), clock: SystemClock())
        try await ingest(5...5, into: opened)
        try await opened.cache.close()
        #expect(try await MemoryJournal(store: store).records(of: "view-result").isEmpty)
    }
}
