import Foundation
import Synchronization
import TestTraits
import Testing
import Tidemark
import TidemarkLiveViews
import TidemarkModel
import TidemarkTesting
import TidemarkViews

/// Reading and observing views with types of Swift.
@Suite(.pooled) struct ViewObservationTests {
    private typealias Row = Tracker.Row

    private func observerCount(_ cache: SyncCache) async -> Int {
        await cache.withWing(ViewEngine.self) { engine, _ in engine.observerCount }
    }

    @Test func `the first rows are the current ones, and each change has its steps`() async throws {
        let cache = try await SyncCache.inMemory()
        try await cache.apply(Tracker.project(1, "Sea"), Tracker.issue(1, "salt"), Tracker.issue(2, "sand"))
        var updates = try cache.observe(Tracker.board().total(), as: Row.self).makeAsyncIterator()
        let first = try #require(try await updates.next())
        let salt = Row(title: "salt", project: "Sea")
        let sand = Row(title: "sand", project: "Sea")
        #expect(first.rows == [salt, sand] && first.changes.isEmpty && first.total == 2)
        #expect(!first.isStale && !first.isPending && first.missing == 0 && first.missed == 0)
        try await cache.apply(Tracker.issue(3, "shell", created: 0))
        let shell = Row(title: "shell", project: "Sea")
        var update = try #require(try await updates.next())
        #expect(update.changes == [.insert(shell, at: 0)] && update.rows == [shell, salt, sand] && update.total == 3)
        try await cache.apply(Tracker.issue(3, "shell", created: 9))
        update = try #require(try await updates.next())
        #expect(update.changes == [.move(from: 0, to: 2)] && update.rows == [salt, sand, shell])
        try await cache.apply(EventLine.delete("2", type: "issue"))
        update = try #require(try await updates.next())
        #expect(update.changes == [.remove(at: 1)] && update.rows == [salt, shell] && update.total == 2)
        try await cache.apply(Tracker.project(1, "Shore"))
        update = try #require(try await updates.next())
        #expect(
            update.changes == [
                .update(Row(title: "salt", project: "Shore"), at: 0),
                .update(Row(title: "shell", project: "Shore"), at: 1),
            ])
        try await cache.apply(Tracker.issue(5, "fog", project: 8))
        update = try #require(try await updates.next())
        #expect(update.changes.isEmpty && update.missing == 1, "a change of one number has no steps")
        #expect(update.rows == (try await cache.read(Tracker.board(), as: Row.self)).rows)
        try await cache.close()
    }

    @Test func `a read has the rows of its window and parameters, and its position`() async throws {
        let cache = try await SyncCache.inMemory()
        try await cache.apply(
            EventLine.change(#"{"id":"1","n":1}"#, type: "t", sequence: 1),
            EventLine.change(#"{"id":"2","n":2}"#, type: "t", sequence: 2),
            EventLine.change(#"{"id":"3","n":3}"#, type: "t", sequence: 3))
        let t = View.Source(type: "t")
        let above = View(t, where: t["/n"] > View.param("least")).select("n", t["/n"]).order(by: t["/n"]).total()
        let result = try await cache.read(above, ["least": 1], as: [String: Int].self, offset: 1, limit: 1)
        #expect(result.rows == [["n": 3]] && result.total == 2 && result.asOf == EventSequence(3))
        try await cache.close()
    }

    @Test func `rows of one type are its resources, with the conventions of the type`() async throws {
        let cache = try await SyncCache.inMemory()
        try await cache.apply(EventLine.change(#"{"id":"1","taken_at":5,"camera":{"param":"M6"}}"#, type: "shot"))
        let shots = try await cache.read(View(ViewBuilderTests.Shot.self), as: ViewBuilderTests.Shot.self)
        #expect(shots.rows.map(\.takenAt) == [Date(timeIntervalSince1970: 5)])
        try await cache.close()
    }

    private static let decodedCount = Mutex(0)

    private struct CountedRow: Decodable {
        init(from decoder: any Decoder) throws { ViewObservationTests.decodedCount.withLock { $0 += 1 } }
    }

    @Test func `only rows that changed are decoded`() async throws {
        let cache = try await SyncCache.inMemory()
        try await cache.apply(Tracker.project(1, "Sea"))
        for id in 1...50 { try await cache.apply(Tracker.issue(id, "salt")) }
        var updates = try cache.observe(Tracker.board(), as: CountedRow.self).makeAsyncIterator()
        _ = try await updates.next()
        #expect(Self.decodedCount.withLock { $0 } == 50)
        try await cache.apply(Tracker.issue(7, "foam"))
        _ = try await updates.next()
        #expect(Self.decodedCount.withLock { $0 } == 51)
        try await cache.close()
    }

    @Test func `a pending edit shows, and its rollback too`() async throws {
        let cache = try await SyncCache.inMemory()
        try await cache.apply(Tracker.project(1, "Sea"), Tracker.issue(1, "salt"))
        var updates = try cache.observe(Tracker.board(), as: Row.self).makeAsyncIterator()
        _ = try await updates.next()
        let patch = TransactionOperation.patch(
            type: "project", id: "1", fields: Array(#"{"name":"Lake"}"#.utf8), unset: [])
        try await cache.update(OptimisticUpdate(pendingID: "e", library: "", operations: [patch]))
        var update = try #require(try await updates.next())
        #expect(update.rows == [Row(title: "salt", project: "Lake")] && update.isPending)
        try await cache.rollBack("e")
        update = try #require(try await updates.next())
        #expect(update.rows == [Row(title: "salt", project: "Sea")] && !update.isPending)
        try await cache.close()
    }

    @Test func `a slow reader gets merged changes, at most 17 behind the first`() async throws {
        let cache = try await SyncCache.inMemory()
        try await cache.apply(Tracker.project(1, "Sea"), Tracker.issue(1, "salt"), Tracker.issue(2, "sand"))
        var updates = try cache.observe(Tracker.board(), as: Row.self).makeAsyncIterator()
        var rows = try #require(try await updates.next()).rows
        for step in 1...100 {
            try await cache.apply(
                Tracker.issue(1, "salt \(step)", created: step % 3), Tracker.issue(2 + step, "new \(step)"))
        }
        let current = try await cache.read(Tracker.board(), as: Row.self).rows
        var count = 0
        var missed = 0
        while rows != current {
            let update = try #require(try await updates.next())
            for change in update.changes { change.apply(to: &rows) }
            #expect(rows == update.rows)
            count += 1
            missed += update.missed
        }
        #expect(count == 17 && missed > 0, "\(count) updates, \(missed) missed")
        try await cache.close()
    }

    // MARK: The window

    @Test func `a moved window is told as a change to every iterator`() async throws {
        let cache = try await SyncCache.inMemory()
        try await cache.apply(Tracker.project(1, "Sea"))
        for id in 1...5 { try await cache.apply(Tracker.issue(id, "\(id)")) }
        let board = try cache.observe(Tracker.board(), as: Row.self, limit: 2)
        var (one, two) = (board.makeAsyncIterator(), board.makeAsyncIterator())
        #expect(try await one.next()?.rows.map(\.title) == ["1", "2"])
        #expect(try await two.next()?.rows.map(\.title) == ["1", "2"])
        try await board.move(offset: 1)
        let moved = try #require(try await one.next())
        #expect(moved.rows.map(\.title) == ["2", "3"])
        #expect(moved.changes == [.remove(at: 0), .insert(Row(title: "3", project: "Sea"), at: 1)])
        #expect(try await two.next()?.rows.map(\.title) == ["2", "3"])
        try await board.move(limit: 4)
        #expect(try await one.next()?.rows.map(\.title) == ["2", "3", "4", "5"])
        var later = board.makeAsyncIterator()
        #expect(try await later.next()?.rows.map(\.title) == ["2", "3", "4", "5"])
        await #expect(throws: CacheError(.invalidParams, "limit is 0: pass an integer of 1 or more")) {
            try await board.move(limit: 0)
        }
        try await cache.close()
    }

    // MARK: Ends

    @Test func `cancelling the reader ends the use, and the loop`() async throws {
        let cache = try await SyncCache.inMemory()
        try await cache.apply(Tracker.project(1, "Sea"), Tracker.issue(1, "salt"))
        let board = try cache.observe(Tracker.board(), as: Row.self)
        let (started, isStarted) = AsyncStream.makeStream(of: Void.self)
        let reading = Task {
            var counts: [Int] = []
            for try await update in board {
                counts.append(update.rows.count)
                isStarted.finish()
            }
            return counts
        }
        for await _ in started {}
        #expect(await observerCount(cache) == 1)
        reading.cancel()
        #expect(try await reading.value == [1])
        #expect(await observerCount(cache) == 0)
        try await board.move(offset: 1)
        try await cache.close()
    }

    @Test func `leaving the loop ends the use`() async throws {
        let cache = try await SyncCache.inMemory()
        for try await _ in try cache.observe(Tracker.board(), as: Row.self) { break }
        while await observerCount(cache) > 0 { await Task.yield() }
        try await cache.close()
    }

    @Test func `a dropped view ends its observation once, and is not found afterwards`() async throws {
        let cache = try await SyncCache.inMemory()
        try await cache.define("board", Tracker.board())
        var updates = try cache.observe(.named("board"), as: Row.self).makeAsyncIterator()
        #expect(try await updates.next()?.rows.isEmpty == true)
        try await cache.drop("board")
        await #expect(throws: ViewEndedError(reason: .dropped)) { try await updates.next() }
        #expect(try await updates.next() == nil)
        await #expect(throws: CacheError(.notFound, "no view is named board: view.list has the names")) {
            try await cache.read(.named("board"), as: Row.self)
        }
        await #expect(throws: CacheError.self) { try await cache.drop("board") }
        try await cache.close()
    }

    @Test func `another rule under the name is a change, and one with other parameters the end`() async throws {
        let cache = try await SyncCache.inMemory()
        try await cache.apply(Tracker.project(1, "Sea"), Tracker.issue(1, "salt"), Tracker.issue(2, "sand"))
        try await cache.define("board", Tracker.board())
        var updates = try cache.observe(.named("board"), as: Row.self).makeAsyncIterator()
        _ = try await updates.next()
        try await cache.define("board", Tracker.board().limit(1).total())
        let update = try #require(try await updates.next())
        #expect(update.changes == [.remove(at: 1)] && update.total == 2)
        let issue = View.Source(Tracker.Issue.self)
        try await cache.define("board", View(issue, where: issue.title == View.param("title")))
        await #expect(throws: ViewEndedError(reason: .redefined)) { try await updates.next() }
        await #expect(throws: CacheError.self) { try await cache.define("", Tracker.board()) }
        await #expect(throws: CacheError.self) { try await cache.define("b", .named("board")) }
        try await cache.close()
    }

    @Test func `a result past the limit ends its observation`() async throws {
        let cache = try await SyncCache.inMemory()
        var limits = ViewLimits()
        limits.rowCountMax = 2
        try await ViewEngine.attach(to: cache, limits: limits)
        try await cache.apply(Tracker.issue(1, "salt"), Tracker.issue(2, "sand"))
        var updates = try cache.observe(View(Tracker.Issue.self), as: Tracker.Issue.self).makeAsyncIterator()
        #expect(try await updates.next()?.rows.count == 2)
        try await cache.apply(Tracker.issue(3, "shell"))
        await #expect(throws: ViewEndedError(reason: .limitExceeded)) { try await updates.next() }
        #expect(await observerCount(cache) == 0)
        try await cache.close()
    }

    @Test func `a row of another form ends its observation with the place`() async throws {
        let cache = try await SyncCache.inMemory()
        try await cache.apply(Tracker.project(1, "Sea"), Tracker.issue(1, "salt"))
        var updates = try cache.observe(Tracker.board(), as: Row.self).makeAsyncIterator()
        _ = try await updates.next()
        try await cache.apply(EventLine.change(#"{"id":"2","project":"1","title":7,"created":2}"#, type: "issue"))
        let error = await #expect(throws: ViewRowError.self) { try await updates.next() }
        #expect(error?.index == 1 && error?.field == JSONPointer("/title") && error?.value == 7)
        #expect(error?.description.hasPrefix("row 1: /title is 7: String is expected") == true)
        #expect(await observerCount(cache) == 0)
        await #expect(throws: ViewRowError.self) { try await cache.read(Tracker.board(), as: Row.self) }
        try await cache.close()
    }

    @Test func `a closed cache fails the observation`() async throws {
        let cache = try await SyncCache.inMemory()
        try await cache.loadViews()
        try await cache.close()
        var updates = try cache.observe(Tracker.board(), as: Row.self).makeAsyncIterator()
        await #expect(throws: CacheError.self) { try await updates.next() }
        #expect(try await updates.next() == nil)
    }

    @Test func `the first uses of a cache all see what an earlier process defined`() async throws {
        let store = MemoryJournal.Store()
        let former = try await SyncCache.open(journal: MemoryJournal(store: store))
        try await former.apply(Tracker.project(1, "Sea"), Tracker.issue(1, "salt"))
        try await former.define("board", Tracker.board())
        try await former.close()
        let cache = try await SyncCache.open(journal: MemoryJournal(store: store))
        let counts = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 1...8 {
                group.addTask { try await cache.read(.named("board"), as: Row.self).rows.count }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(counts == Array(repeating: 1, count: 8))
        try await cache.close()
    }
}
