import Foundation
import Synchronization
import TestTraits
import Testing
import Tidemark
import TidemarkModel
import TidemarkSQLite
import TidemarkTesting

/// A suspended cache has no file open, holds no lock, and loses nothing. Laws: L5.
@Suite(.pooled) struct SuspensionTests {
    private struct Item: Resource, Codable {
        static let resourceType = "t"
        var id: String
        var n: Int
    }

    @Test(arguments: [EntityLayout.rows, .blocks])
    func `a suspended cache has no file open, holds no lock, and has written everything`(
        layout: EntityLayout
    ) async throws {
        let fixture = try SuspensionFixture()
        let cache = try await fixture.open(layout: layout)
        for n in 0..<300 { try await cache.change("\(n)", n) }
        #if os(Linux)
            #expect(!fixture.openFiles.isEmpty)
        #endif
        #expect(try await !fixture.isUnlocked())
        try await cache.suspend()
        #expect(await cache.isSuspended)
        #expect(fixture.openFiles == [])
        #expect(try await fixture.isUnlocked())
        let names = try FileManager.default.contentsOfDirectory(atPath: fixture.folder.path)
        #expect(names.sorted() == ["cache.db", "cache.db-lock"])
        // The whole file is there: the last line is in it, and another writer may have it.
        #expect(try fixture.stored("299") == #"{"id":"299","n":299}"#)
        try await cache.resume()
        #expect(await !cache.isSuspended)
        try await cache.change("300", 300)
        #expect(try await cache.value("0") == #"{"id":"0","n":0}"#)
        try await cache.close()
        #expect(try fixture.stored("300") == #"{"id":"300","n":300}"#)
        let again = try await fixture.open()
        #expect(await again.entityCount() == 301)
        try await again.close()
    }

    @Test func `memory answers a suspended cache's reads, and every other call throws suspended`() async throws {
        let fixture = try SuspensionFixture()
        let cache = try await fixture.open()
        try await cache.change("gone", 1)
        try await cache.flush()
        await cache.relieveMemory()
        try await cache.change("there", 2)
        try await cache.suspend()
        try await cache.suspend()
        let key = EntityKey(type: "t", id: "there")
        #expect(try await cache.value("there") == #"{"id":"there","n":2}"#)
        #expect(try await cache.read(key, fields: nil).entity.map { String(decoding: $0, as: UTF8.self) } != nil)
        #expect(await storageCode { _ = try await cache.value("gone") } == .suspended)
        let gone = EntityRequest(EntityKey(type: "t", id: "gone"))
        #expect(await storageCode { _ = try await cache.read(gone) } == .suspended)
        #expect(await storageCode { try await cache.change("there", 3) } == .suspended)
        #expect(await storageCode { try await cache.put(Item(id: "there", n: 3)) } == .suspended)
        #expect(await storageCode { try await cache.remove(Item.self, ids: ["there"]) } == .suspended)
        #expect(await storageCode { try await cache.clear() } == .suspended)
        #expect(await storageCode { _ = try await cache.invalidate(Item.self) } == .suspended)
        #expect(
            await storageCode { _ = try await cache.optimistically { try $0.put(Item(id: "x", n: 1)) } }
                == .suspended)
        #expect(await storageCode { _ = try await cache.query(Item.self, method: "m") } == .suspended)
        #expect(await storageCode { try await cache.flush() } == nil)
        #expect(await cache.heal().count == 1)
        #expect(await cache.counts().applied == 2)
        try await cache.resume()
        try await cache.resume()
        #expect(try await cache.value("gone") == #"{"id":"gone","n":1}"#)
        #expect(try await cache.value("there") == #"{"id":"there","n":2}"#)
        #expect(await cache.entityCount() == 2)
        try await cache.close()
        #expect(await storageCode { try await cache.suspend() } == .closed)
        #expect(await storageCode { try await cache.resume() } == .closed)
    }

    @Test func `input that arrives for a suspended cache waits, and is acknowledged after the pause`() async throws {
        let fixture = try SuspensionFixture()
        let cache = try await fixture.open()
        let input = try await HandInput(into: cache)
        try await input.feed([Lines.change(1)])
        try await cache.suspend()
        let feeding = Task { try await input.feed([Lines.change(2), Lines.change(3)]) }
        for _ in 0..<200 { await Task.yield() }
        #expect(await cache.counts().applied == 1)
        #expect(fixture.openFiles == [])
        try await cache.resume()
        try await feeding.value
        try await input.end()
        #expect(await cache.counts().applied == 3)
        #expect(await input.allAcknowledgements().last?.lines == 3)
        try await cache.close()
    }

    @Test func `closing a suspended cache refuses the input that waits`() async throws {
        let fixture = try SuspensionFixture()
        let cache = try await fixture.open()
        let input = try await HandInput(into: cache)
        try await input.feed([Lines.change(1)])
        try await cache.suspend()
        let feeding = Task { await storageCode { try await input.feed([Lines.change(2)]) } }
        for _ in 0..<200 { await Task.yield() }
        try await cache.close()
        #expect(await feeding.value == .closed)
        #expect(fixture.openFiles == [])
        let again = try await fixture.open()
        #expect(await again.counts().applied == 1)
        try await again.close()
    }

    @Test func `an observer is notified again after a pause`() async throws {
        let fixture = try SuspensionFixture()
        let cache = try await fixture.open()
        try await cache.put(Item(id: "1", n: 1))
        var updates = cache.observe(Item.self, id: "1").makeAsyncIterator()
        #expect(try await updates.next()?.value?.n == 1)
        try await cache.suspend()
        try await cache.resume()
        try await cache.put(Item(id: "1", n: 2))
        #expect(try await updates.next()?.value?.n == 2)
        try await cache.close()
    }

    // MARK: Other programs

    @Test(arguments: [EntityLayout.rows, .blocks])
    func `a cache whose file another one wrote stays suspended, and still reads memory`(
        layout: EntityLayout
    ) async throws {
        let fixture = try SuspensionFixture()
        let cache = try await fixture.open(layout: layout)
        try await cache.change("1", 1)
        try await cache.suspend()
        let other = try await fixture.open()
        try await other.change("2", 2)
        #expect(await storageCode { try await cache.resume() } == .locked)
        try await other.close()
        #expect(await storageCode { try await cache.resume() } == .changed)
        #expect(await cache.isSuspended)
        #expect(try await cache.value("1") == #"{"id":"1","n":1}"#)
        #expect(fixture.openFiles == [])
        #expect(try await fixture.isUnlocked())
        try await cache.close()
        let again = try await fixture.open()
        #expect(await again.entityCount() == 2)
        try await again.close()
    }

    @Test func `readers of other programs do not keep a cache from going on`() async throws {
        let fixture = try SuspensionFixture()
        let cache = try await fixture.open()
        try await cache.change("1", 1)
        try await cache.suspend()
        for _ in 0..<3 { #expect(try fixture.stored("1") == #"{"id":"1","n":1}"#) }
        let reader = try SQLiteReader(path: fixture.path)
        try await cache.resume()
        try await cache.change("2", 2)
        try await cache.flush()
        #expect(try reader.entity(EntityKey(type: "t", id: "2")) != .absent)
        try await cache.close()
    }

    @Test(arguments: [EntityLayout.rows, .blocks])
    func `a removed file is reported, and memory can be written into a new one`(layout: EntityLayout) async throws {
        let fixture = try SuspensionFixture()
        let cache = try await fixture.open(layout: layout)
        try await cache.change("old", 0)
        try await cache.flush()
        await cache.relieveMemory()
        try await cache.change("1", 1)
        _ = try await cache.optimistically { try $0.put(Item(id: "1", n: 5)) }
        try await cache.suspend()
        try FileManager.default.removeItem(atPath: fixture.path)
        #expect(await storageCode { try await cache.resume() } == .notFound)
        #expect(await cache.isSuspended)
        #expect(try await cache.value("1") == #"{"id":"1","n":5}"#)
        #expect(fixture.openFiles == [])
        try await cache.resume(recreating: true)
        #expect(try await cache.value("1") == #"{"id":"1","n":5}"#)
        #expect(try await cache.value("old") == nil)
        #expect(await cache.pendingEdits().count == 1)
        try await cache.change("2", 2)
        try await cache.close()
        let again = try await fixture.open()
        #expect(try await again.value("1") == #"{"id":"1","n":5}"#)
        #expect(try await again.value("2") == #"{"id":"2","n":2}"#)
        #expect(await again.pendingEdits().count == 1)
        try await again.close()
    }

    @Test func `a file that was moved away and back is the same`() async throws {
        let fixture = try SuspensionFixture()
        let cache = try await fixture.open()
        try await cache.change("1", 1)
        try await cache.suspend()
        try FileManager.default.moveItem(atPath: fixture.path, toPath: fixture.path + ".away")
        #expect(await storageCode { try await cache.resume() } == .notFound)
        try FileManager.default.moveItem(atPath: fixture.path + ".away", toPath: fixture.path)
        try await cache.resume()
        try await cache.change("2", 2)
        try await cache.close()
        #expect(try fixture.stored("2") == #"{"id":"2","n":2}"#)
    }

    @Test func `another program's file in place of the own one is not touched`() async throws {
        let fixture = try SuspensionFixture()
        let cache = try await fixture.open()
        try await cache.change("1", 1)
        try await cache.suspend()
        try Data("a letter".utf8).write(to: URL(fileURLWithPath: fixture.path))
        #expect(await storageCode { try await cache.resume(recreating: true) } == .changed)
        #expect(try Data(contentsOf: URL(fileURLWithPath: fixture.path)) == Data("a letter".utf8))
        try await cache.close()
    }

    // MARK: Work under way

    @Test func `an attempt to send an edit that ends during a pause takes effect after it`() async throws {
        let fixture = try SuspensionFixture()
        let server = ScriptedMutations()
        let cache = try await fixture.open(mutationUpstream: server)
        _ = try await cache.optimistically(sending: MutationRequest(method: "m", input: 1)) { changes in
            try changes.put(Item(id: "1", n: 1))
        }
        let sent = await server.next()
        try await cache.suspend()
        await server.answer(
            .success(
                OptimisticCommit(
                    pendingID: sent.pendingID, confirmed: [Array(#"{"id":"1","n":2}"#.utf8)], resourceType: "t")))
        for _ in 0..<200 { await Task.yield() }
        #expect(await cache.outboxStatuses().count == 1)
        #expect(try await cache.value("1") == #"{"id":"1","n":1}"#)
        try await cache.resume()
        #expect(await eventually { await cache.outboxStatuses().isEmpty })
        #expect(try await cache.value("1") == #"{"id":"1","n":2}"#)
        try await cache.close()
        #expect(try fixture.stored("1") == #"{"id":"1","n":2}"#)
    }

    @Test func `a fetch that ends during a pause is stored after it`() async throws {
        let fixture = try SuspensionFixture()
        let upstream = ScriptedQueryUpstream()
        let cache = try await fixture.open(queryUpstream: upstream)
        let query = Task { try await cache.query(Item.self, method: "items") }
        await upstream.waitForQuestions(1)
        try await cache.suspend()
        await upstream.answer(
            .success(QueryResult(resourceType: "t", resources: [Array(#"{"id":"1","n":1}"#.utf8)])))
        for _ in 0..<200 { await Task.yield() }
        #expect(try await cache.value("1") == nil)
        try await cache.resume()
        #expect(try await query.value.items.map(\.n) == [1])
        try await cache.close()
        #expect(try fixture.stored("1") == #"{"id":"1","n":1}"#)
    }

    @Test func `a pause while the index of a file of blocks is read cuts the reading short`() async throws {
        let fixture = try SuspensionFixture()
        let cache = try await fixture.open(layout: .blocks)
        for n in 0..<50 { try await cache.change("\(n)", n) }
        try await cache.close()
        let held = Mutex(true)
        var configuration = SQLiteJournal.Configuration(path: fixture.path)
        configuration.onOpening = { while held.withLock({ $0 }) { sched_yield() } }
        let again = try await fixture.open(configuration)
        let suspending = Task { try await again.suspend() }
        for _ in 0..<200 { await Task.yield() }
        held.withLock { $0 = false }
        try await suspending.value
        #expect(fixture.openFiles == [])
        try await again.resume()
        try await again.change("7", 8)
        #expect(try await again.value("49") == #"{"id":"49","n":49}"#)
        try await again.close()
        #expect(try fixture.stored("7") == #"{"id":"7","n":8}"#)
    }
}
