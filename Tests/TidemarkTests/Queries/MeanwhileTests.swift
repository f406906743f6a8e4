import TestTraits
import Testing
import Tidemark
import TidemarkModel
import TidemarkStore
import TidemarkTestKit
import TidemarkTesting

/// No answer undoes what was known when it was asked for, nor what happened since (law L12).
///
/// - Source: Protocol/queries.md, while an answer is on its way.
@Suite(.pooled) struct MeanwhileTests {
    private static let old = #"{"id":"1","v":0}"#
    private static let new = #"{"id":"1","v":1}"#

    /// Something that makes the lists of library `a` and type `file` stale.
    enum Staling: String, CaseIterable, Sendable {
        case request, requestOfType, refresh, refreshOfAll, bulk, hintedBulk, indexBatch, lostRange, reset

        func happen(to fixture: QueryFixture) async throws {
            switch self {
            case .request: _ = try await fixture.cache.invalidate(Invalidation(library: "a"))
            case .requestOfType:
                var invalidation = Invalidation(library: "a")
                invalidation.resourceType = "file"
                _ = try await fixture.cache.invalidate(invalidation)
            case .refresh: try await fixture.input.feed([#"{"library_id":"a","sequence":2,"event":{"Refresh":{}}}"#])
            case .refreshOfAll: try await fixture.input.feed([#""Refresh""#])
            case .bulk:
                try await fixture.input.feed([
                    #"{"library_id":"a","sequence":2,"event":{"BulkOperation":{"resource_type":"file"}}}"#
                ])
            case .hintedBulk:
                try await fixture.input.feed([
                    #"{"library_id":"a","sequence":2,"event":{"BulkOperation":{"resource_type":"file","hints":{"q":1}}}}"#
                ])
            case .indexBatch:
                try await fixture.input.feed([
                    #"{"library_id":"a","sequence":2,"event":{"ResourceBatchChanged":{"resource_type":"file","resources":[],"operation":"Index"}}}"#
                ])
            case .lostRange:
                try await fixture.input.feed([EventLine.change(#"{"id":"9"}"#, library: "a", sequence: 5)])
                try await fixture.cache.endOfInput()
            case .reset: try await fixture.input.feed([EventLine.reset(epoch: "e", library: "a")])
            }
        }
    }

    private func open(_ journal: any Journal = MemoryJournal()) async throws -> QueryFixture {
        let fixture = try await QueryFixture.open(journal)
        try await fixture.input.feed([EventLine.change(#"{"id":"8"}"#, library: "a", sequence: 1)])
        return fixture
    }

    @Test(arguments: Staling.allCases)
    func `a list that became stale while its answer was on its way is stored stale`(_ staling: Staling) async throws {
        let fixture = try await open()
        let reader = try await fixture.begin("{}", .networkOnly)
        await fixture.upstream.waitForQuestions(1)
        try await staling.happen(to: fixture)
        await fixture.upstream.answer(.success(QueryFixture.result([Self.new])))
        #expect(await eventually { reader.isThere })
        let answer = try #require(try reader.replies.first?.get().answer)
        #expect(answer.isStale && answer.entities == [Array(Self.new.utf8)])
        #expect(try await fixture.isStale() == true)
        // It is asked for again, and then it is fresh.
        let again = try await fixture.begin("{}", .cacheFirst)
        await fixture.upstream.waitForQuestions(2)
        await fixture.upstream.answer(.success(QueryFixture.result([Self.new])))
        #expect(await eventually { again.isThere })
        #expect(try await fixture.isStale() == false)
    }

    @Test(arguments: Staling.allCases)
    func `a reader that comes after it asks anew, and the older answer does not replace the newer one`(
        _ staling: Staling
    ) async throws {
        let fixture = try await open()
        let first = try await fixture.begin("{}", .networkOnly)
        await fixture.upstream.waitForQuestions(1)
        try await staling.happen(to: fixture)
        let second = try await fixture.begin("{}", .networkOnly)
        await fixture.upstream.waitForQuestions(2)
        let third = try await fixture.begin("{}", .networkOnly)
        await fixture.upstream.answerNewest(.success(QueryFixture.result([Self.new])))
        #expect(await eventually { second.isThere && third.isThere })
        #expect(try second.replies.first?.get().texts == [Self.new])
        #expect(try third.replies.first?.get().texts == [Self.new])
        await fixture.upstream.answer(.success(QueryFixture.result([Self.old, #"{"id":"2"}"#])))
        #expect(await eventually { first.isThere })
        #expect(try await fixture.stored() == [Self.new])
        #expect(try await fixture.isStale() == false)
        #expect(await fixture.upstream.asked.count == 2)
    }

    @Test func `an invalidation of other lists neither makes a query stale nor keeps readers from joining`()
        async throws
    {
        let fixture = try await open()
        let first = try await fixture.begin(#"{"q":2}"#, .networkOnly)
        await fixture.upstream.waitForQuestions(1)
        try await Staling.hintedBulk.happen(to: fixture)
        var other = Invalidation(library: "a")
        other.method = "other"
        _ = try await fixture.cache.invalidate(other)
        _ = try await fixture.cache.invalidate(Invalidation(library: "b"))
        let second = try await fixture.begin(#"{"q":2}"#, .networkOnly)
        await fixture.upstream.answer(.success(QueryFixture.result([Self.new])))
        #expect(await eventually { first.isThere && second.isThere })
        #expect(try first.replies.first?.get().answer.isStale == false)
        #expect(await fixture.upstream.asked.count == 1)
    }

    @Test(arguments: [Staling.refresh, .bulk, .indexBatch], [false, true])
    func `an answer from before it is stale, after a restart too`(_ staling: Staling, restarts: Bool) async throws {
        let store = MemoryJournal.Store()
        var fixture = try await open(MemoryJournal(store: store))
        try await staling.happen(to: fixture)
        if restarts {
            try await fixture.cache.close()
            fixture = try await QueryFixture.open(MemoryJournal(store: store))
        }
        try await fixture.put([Self.old]) { $0.asOf = EventSequence(1) }
        #expect(try await fixture.isStale() == true)
        try await fixture.put([Self.old]) { $0.asOf = EventSequence(2) }
        #expect(try await fixture.isStale() == false)
        try await fixture.put([Self.old])
        #expect(try await fixture.isStale() == false)
    }

    @Test func `nothing of an answer is stored that was asked for before a clear`() async throws {
        let fixture = try await open()
        let reader = try await fixture.begin("{}", .networkOnly)
        let observer = try await fixture.begin("{}", .networkOnly, sink: FoldingSink())
        await fixture.upstream.waitForQuestions(1)
        try await fixture.cache.clear(library: nil)
        let later = try await fixture.begin("{}", .networkOnly)
        await fixture.upstream.waitForQuestions(2)
        await fixture.upstream.answer(.success(QueryFixture.result([Self.old])))
        #expect(await eventually { reader.isThere && observer.isThere })
        #expect(try reader.replies.first?.get().texts == [Self.old])
        guard case .failure(let error)? = observer.replies.first else { return #expect(Bool(false), "no error") }
        #expect(error.code == .conflict && error.reasons == ["cache": "cleared"])
        #expect(await fixture.cache.entityCount() == 0)
        #expect(try await fixture.stored() == nil)
        await fixture.upstream.answer(.success(QueryFixture.result([Self.new])))
        #expect(await eventually { later.isThere })
        #expect(try await fixture.stored() == [Self.new])
    }

    @Test func `a request's write stays, and the next reader asks anew`() async throws {
        let fixture = try await open()
        let first = try await fixture.begin("{}", .networkOnly)
        await fixture.upstream.waitForQuestions(1)
        let put = Array(#"{"id":"1","v":7}"#.utf8)
        try await fixture.cache.transact([.put(type: "file", resource: put)], library: "a")
        let second = try await fixture.begin("{}", .networkOnly)
        await fixture.upstream.waitForQuestions(2)
        await fixture.upstream.answer(.success(QueryFixture.result([Self.old])))
        #expect(await eventually { first.isThere })
        #expect(try await fixture.stored() == [#"{"id":"1","v":7}"#])
        await fixture.upstream.answer(.success(QueryFixture.result([Self.new])))
        #expect(await eventually { second.isThere })
        #expect(try await fixture.stored() == [Self.new])
    }

    @Test func `of two answers that are on their way the one that was asked for later stays, field by field`()
        async throws
    {
        let fixture = try await open()
        let first = try await fixture.begin(#"{"q":1}"#, .networkOnly)
        await fixture.upstream.waitForQuestions(1)
        let second = try await fixture.begin(#"{"q":2}"#, .networkOnly)
        await fixture.upstream.waitForQuestions(2)
        await fixture.upstream.answerNewest(.success(QueryFixture.result([#"{"id":"1","v":2}"#])))
        #expect(await eventually { second.isThere })
        await fixture.upstream.answer(.success(QueryFixture.result([#"{"id":"1","v":1,"w":1}"#])))
        #expect(await eventually { first.isThere })
        #expect(try await fixture.stored(#"{"q":1}"#) == [#"{"id":"1","v":2,"w":1}"#])
    }
}
