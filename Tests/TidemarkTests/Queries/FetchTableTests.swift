import TestTraits
import Testing
import TidemarkModel

@testable import Tidemark
@testable import TidemarkStore

/// The fetches under way as a value, without a cache and an upstream.
@Suite(.pooled) struct FetchTableTests {
    private let key = QueryKey(library: "a", method: "all", canonicalInput: "{}")

    private func waiter(storesAnswer: Bool = true) -> FetchWaiter {
        FetchWaiter(request: QueryRequest(key), sink: nil, storesAnswer: storesAnswer, reply: { _ in })
    }

    private func fetch(_ attempt: UInt64, _ waiters: [FetchWaiter]) -> Fetch {
        Fetch(
            key: key, attempt: attempt, start: FetchStart(write: 0, fieldWrite: 0, cursor: nil, generation: 0),
            begunAt: 5, waiters: waiters, task: Task {}, timer: Task {})
    }

    private func answer() throws -> DecodedResponse {
        try DecodedResponse(
            QueryResult(resourceType: "file", resources: [Array(#"{"id":"1"}"#.utf8)]), for: key, limits: Limits())
    }

    @Test func `the time of a fetch is noted until its answer has come`() throws {
        var table = FetchTable()
        table.begin(fetch(2, [waiter()]))
        table.noteEnd(of: 1, at: 8)
        #expect(table.times[key] == nil)
        table.noteEnd(of: 2, at: 9, failure: "busy")
        #expect(table.times[key] == FetchTime(at: 9, took: 4, failure: "busy"))
        _ = table.answered(try answer(), 2)
        table.noteEnd(of: 2, at: 50)
        #expect(table.times[key]?.at == 9)
    }

    @Test func `readers of one query wait for one fetch, and those of another query do not`() {
        var table = FetchTable()
        guard case .none = table.join(waiter(), mayJoin: { _ in true }) else {
            return #expect(Bool(false), "joined without a fetch")
        }
        let attempt = table.newAttempt()
        table.begin(fetch(attempt, [waiter()]))
        guard case .joined = table.join(waiter(), mayJoin: { _ in true }) else {
            return #expect(Bool(false), "did not join")
        }
        #expect(table.count == 1)
        let taken = table.takeUnanswered(attempt)
        #expect(taken?.waiters.count == 2)
        #expect(table.count == 0)
    }

    @Test func `the answer of an earlier attempt is ignored`() throws {
        var table = FetchTable()
        let old = table.newAttempt()
        let new = table.newAttempt()
        #expect(old < new)
        table.begin(fetch(new, [waiter()]))
        let taken = table.takeUnanswered(old)
        let answered = try table.answered(answer(), old)
        #expect(taken == nil && answered == nil)
        #expect(table.all.map(\.attempt) == [new])
    }

    @Test func `an answer ends a fetch whose readers need nothing stored, and others wait until it is`() throws {
        var table = FetchTable()
        let first = table.newAttempt()
        table.begin(fetch(first, [waiter(storesAnswer: false)]))
        let ended = try table.answered(answer(), first)
        #expect(ended?.isStored == false && ended?.fetch.waiters.count == 1 && table.count == 0)

        let second = table.newAttempt()
        table.begin(fetch(second, [waiter(), waiter(storesAnswer: false)]))
        let stored = try table.answered(answer(), second)
        #expect(stored?.isStored == true && stored?.fetch.waiters.count == 2 && table.count == 1)
        // The answer is being stored: nobody can take the fetch as unanswered, and a reader without need gets it.
        let unanswered = table.takeUnanswered(second)
        #expect(unanswered == nil)
        guard case .answered = table.join(waiter(storesAnswer: false), mayJoin: { _ in true }) else {
            return #expect(Bool(false), "waits for an answer that has come")
        }
        guard case .joined = table.join(waiter(), mayJoin: { _ in true }) else {
            return #expect(Bool(false), "did not join")
        }
        let waiters = table.takeWaiters(second)
        let late = table.end(second)
        #expect(waiters.count == 2 && late.isEmpty && table.count == 0)
    }

    @Test func `the end of a replayed fetch needs its beginning`() {
        var table = FetchTable()
        table.beginReplayed(4, FetchStart(write: 0, fieldWrite: 0, cursor: nil, generation: 0))
        #expect(table.replayedStart(4) != nil && table.replayedStart(5) == nil)
        let isKnown = table.endReplayed(4)
        let isKnownTwice = table.endReplayed(4)
        #expect(isKnown && !isKnownTwice)
    }
}
