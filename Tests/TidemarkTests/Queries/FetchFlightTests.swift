import TestTraits
import Testing
import Tidemark
import TidemarkModel
import TidemarkStore
import TidemarkTesting

/// A fetch lasts until its answer is stored and its readers have it.
///
/// - Source: Protocol/queries.md, fetch policies.
@Suite(.pooled) struct FetchFlightTests {
    private static let old = #"{"id":"1","v":0}"#
    private static let new = #"{"id":"1","v":1}"#
    private static let other = #"{"id":"2","v":0}"#

    /// A cache with a stale list of one entity in memory, and another entity on the disk alone, so that storing an
    /// answer with it has to read first; and a `networkOnly` reader whose answer is being stored.
    private struct Storing {
        var fixture: QueryFixture
        var journal: MemoryJournal
        var first: Reply

        static func begin(
            answer resources: [String] = [FetchFlightTests.new, FetchFlightTests.other]
        ) async throws -> Storing {
            let store = MemoryJournal.Store()
            let before = try await QueryFixture.open(MemoryJournal(store: store))
            try await before.put([FetchFlightTests.old])
            try await before.put([FetchFlightTests.other], #"{"q":2}"#)
            _ = try await before.cache.invalidate(Invalidation(library: "a"))
            try await before.cache.close()
            let journal = MemoryJournal(store: store)
            let fixture = try await QueryFixture.open(journal)
            #expect(try await fixture.stored() == [FetchFlightTests.old])
            let first = try await fixture.begin("{}", .networkOnly)
            await fixture.upstream.waitForQuestions(1)
            await journal.pauseLoads()
            await fixture.upstream.answer(.success(QueryFixture.result(resources)))
            await journal.waitUntilHeld()
            #expect(!first.isThere)
            return Storing(fixture: fixture, journal: journal, first: first)
        }

        func read(_ policy: FetchPolicy) async throws -> Reply { try await fixture.begin("{}", policy) }
    }

    private func settle() async { for _ in 0..<1_000 { await Task.yield() } }

    @Test(arguments: FetchPolicy.allCases.filter { $0 != .cacheOnly })
    func `a reader that joins while the answer is being stored gets that answer`(_ policy: FetchPolicy) async throws {
        let storing = try await Storing.begin()
        let second = try await storing.read(policy)
        // The old list is there, and an answer that is not stored need not wait.
        let answersAtOnce = [.networkOnlyNoStore, .cacheAndNetwork, .staleWhileRevalidate].contains(policy)
        #expect(second.isThere == answersAtOnce)
        #expect(second.laters.isEmpty)
        await storing.journal.resumeLoads()
        let hasLater = policy == .cacheAndNetwork
        #expect(
            await eventually { storing.first.isThere && second.isThere && second.laters.count == (hasLater ? 1 : 0) })
        await settle()
        let isOld = policy == .cacheAndNetwork || policy == .staleWhileRevalidate
        #expect(try storing.first.replies.map { try $0.get().texts } == [[Self.new, Self.other]])
        #expect(try second.replies.map { try $0.get().texts } == [isOld ? [Self.old] : [Self.new, Self.other]])
        #expect(
            try second.laters.map { try $0.get().entities }
                == (hasLater ? [[Array(Self.new.utf8), Array(Self.other.utf8)]] : []))
        #expect(await storing.fixture.upstream.asked.count == 1)
        #expect(try await storing.fixture.stored() == [Self.new, Self.other])
        _ = try await storing.fixture.begin("{}", .networkOnly)
        await storing.fixture.upstream.waitForQuestions(2)
    }

    @Test func `an answer that waits for the disk is not asked for again`() async throws {
        let journal = MemoryJournal()
        let fixture = try await QueryFixture.open(journal) {
            $0.flush.startCount = 1
            $0.flush.changeCountMax = 1
        }
        await journal.pause()
        try await fixture.put([Self.other], #"{"q":2}"#)
        await journal.waitUntilHeld()
        let first = try await fixture.begin("{}", .networkOnly)
        await fixture.upstream.waitForQuestions(1)
        await fixture.upstream.answer(.success(QueryFixture.result([Self.new])))
        #expect(await eventually { await fixture.cache.entityCount() == 2 })
        #expect(!first.isThere)
        let second = try await fixture.begin("{}", .networkOnly)
        await journal.resume()
        #expect(await eventually { first.isThere && second.isThere })
        #expect(try second.replies.first?.get().texts == [Self.new])
        #expect(await fixture.upstream.asked.count == 1)
    }

    @Test func `the deadline of an answer ends with its arrival, however long storing takes`() async throws {
        let storing = try await Storing.begin()
        let second = try await storing.read(.networkOnly)
        await settle()
        storing.fixture.clock.advance(milliseconds: 60_000)
        await settle()
        #expect(!storing.first.isThere && !second.isThere)
        await storing.journal.resumeLoads()
        #expect(await eventually { storing.first.isThere && second.isThere })
        #expect(try storing.first.replies.map { try $0.get().texts } == [[Self.new, Self.other]])
        #expect(try second.replies.map { try $0.get().texts } == [[Self.new, Self.other]])
    }

    @Test func `an answer that cannot be used fails all joined readers, and the next one asks again`() async throws {
        let storing = try await Storing.begin(answer: [Self.new, Self.other, Self.new])
        let second = try await storing.read(.networkOnly)
        let falling = try await storing.read(.networkFirst)
        await settle()
        await storing.journal.resumeLoads()
        #expect(await eventually { storing.first.isThere && second.isThere && falling.isThere })
        for reply in [storing.first, second] {
            guard case .failure(let error)? = reply.replies.first else {
                Issue.record("\(reply.replies)")
                continue
            }
            #expect(error.code == .upstreamFailed)
        }
        #expect(try falling.replies.first?.get().texts == [Self.old])
        #expect(await storing.fixture.upstream.asked.count == 1)
        let third = try await storing.fixture.begin("{}", .networkOnly)
        await storing.fixture.upstream.waitForQuestions(2)
        await storing.fixture.upstream.answer(.success(QueryFixture.result([Self.new])))
        #expect(await eventually { third.isThere })
        #expect(try third.replies.first?.get().texts == [Self.new])
    }

    @Test func `a failing disk fails all joined readers`() async throws {
        let storing = try await Storing.begin()
        let second = try await storing.read(.networkOnly)
        await settle()
        await storing.journal.failLoads(StorageError(.inputOutput, "no", advice: "mend it"))
        await storing.journal.resumeLoads()
        #expect(await eventually { storing.first.isThere && second.isThere })
        for reply in [storing.first, second] {
            guard case .failure(let error)? = reply.replies.first else {
                Issue.record("\(reply.replies)")
                continue
            }
            #expect(error.code == .storageFailed)
        }
        await storing.journal.failLoads(nil)
        _ = try await storing.fixture.begin("{}", .networkOnly)
        await storing.fixture.upstream.waitForQuestions(2)
    }

    @Test func `closing finishes storing an answer, and answers its readers`() async throws {
        let storing = try await Storing.begin()
        let second = try await storing.read(.networkOnly)
        await settle()
        let closing = Task { try await storing.fixture.cache.close() }
        await settle()
        #expect(!storing.first.isThere && !second.isThere)
        await storing.journal.resumeLoads()
        try await closing.value
        #expect(try storing.first.replies.map { try $0.get().texts } == [[Self.new, Self.other]])
        #expect(try second.replies.map { try $0.get().texts } == [[Self.new, Self.other]])
        let after = try await QueryFixture.open(MemoryJournal(store: storing.journal.store))
        #expect(try await after.stored() == [Self.new, Self.other])
    }

    @Test func `after a joined fetch, a write during the next fetch wins over its answer`() async throws {
        let storing = try await Storing.begin()
        let second = try await storing.read(.networkOnly)
        await settle()
        await storing.journal.resumeLoads()
        #expect(await eventually { second.isThere })
        let third = try await storing.fixture.begin("{}", .networkOnly)
        await storing.fixture.upstream.waitForQuestions(2)
        try await storing.fixture.input.feed([
            EventLine.change(#"{"id":"1","v":9}"#, library: "a")
        ])
        await storing.fixture.upstream.answer(.success(QueryFixture.result([Self.new])))
        #expect(await eventually { third.isThere })
        #expect(try third.replies.first?.get().texts == [#"{"id":"1","v":9}"#])
    }
}
