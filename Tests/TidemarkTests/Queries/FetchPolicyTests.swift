import TestTraits
import Testing
import Tidemark
import TidemarkModel
import TidemarkTesting

/// Every fetch policy in every state of the cache with every behaviour of the upstream.
///
/// - Source: Protocol/queries.md, fetch policies.
@Suite(.pooled) struct FetchPolicyTests {
    enum Stored: String, CaseIterable { case absent, fresh, stale, expired }
    enum Server: String, CaseIterable { case answers, fails, timesOut }

    struct Cell: CustomTestStringConvertible, Sendable {
        var policy: FetchPolicy
        var stored: Stored
        var server: Server
        var testDescription: String { "\(policy.rawValue), \(stored.rawValue), \(server.rawValue)" }
    }

    static let cells = FetchPolicy.allCases.flatMap { policy in
        Stored.allCases.flatMap { stored in
            Server.allCases.map { Cell(policy: policy, stored: stored, server: $0) }
        }
    }

    /// The expected result of a cell.
    private struct Wanted {
        /// The source of the answer; nil for an error.
        var source: QueryAnswer.Source?
        var code: CacheError.Code?
        var reasons: [String: String] = [:]
        var isStale = false
        var asks = false
        var hasLater = false
        var stores = false
    }

    private func wanted(_ cell: Cell) -> Wanted {
        let isThere = cell.stored != .absent
        let isStale = cell.stored == .stale || cell.stored == .expired
        let answers = cell.server == .answers
        let upstreamReason = cell.server == .fails ? "down" : "no answer within 30000 ms"
        let fromCache = Wanted(source: .cache, isStale: isStale)
        var fromUpstream =
            answers
            ? Wanted(source: .upstream, stores: true)
            : Wanted(code: .upstreamFailed, reasons: ["upstream": upstreamReason])
        fromUpstream.asks = true
        var afterMiss = fromUpstream
        if !answers { afterMiss.reasons["cache"] = cell.stored.rawValue }
        switch cell.policy {
        case .cacheOnly:
            return cell.stored == .fresh
                ? fromCache : Wanted(code: .cacheMiss, reasons: ["cache": cell.stored.rawValue])
        case .cacheFirst: return cell.stored == .fresh ? fromCache : afterMiss
        case .networkOnly: return fromUpstream
        case .networkOnlyNoStore:
            fromUpstream.stores = false
            return fromUpstream
        case .cacheAndNetwork:
            guard isThere else { return afterMiss }
            return Wanted(source: .cache, isStale: isStale, asks: true, hasLater: true, stores: answers)
        case .networkFirst:
            if answers || !isThere { return afterMiss }
            return Wanted(source: .cache, isStale: isStale, asks: true)
        case .staleWhileRevalidate:
            guard isThere else { return afterMiss }
            return Wanted(source: .cache, isStale: isStale, asks: isStale, stores: isStale && answers)
        }
    }

    @Test(arguments: cells) func `every fetch policy answers as its table says`(_ cell: Cell) async throws {
        let fixture = try await QueryFixture.open()
        let old = #"{"id":"1","v":0}"#
        let new = #"{"id":"2","v":1}"#
        if cell.stored != .absent {
            try await fixture.put([old]) { if cell.stored == .expired { $0.timeToLive = .milliseconds(1_000) } }
        }
        if cell.stored == .expired { fixture.clock.advance(milliseconds: 1_000) }
        if cell.stored == .stale { #expect(try await fixture.cache.invalidate(Invalidation(library: "a")) == 1) }

        let wanted = wanted(cell)
        let reply = try await fixture.begin("{}", cell.policy)
        if wanted.asks {
            await fixture.upstream.waitForQuestions(1)
            switch cell.server {
            case .answers: await fixture.upstream.answer(.success(QueryFixture.result([new])))
            case .fails: await fixture.upstream.answer(.failure(UpstreamError("down")))
            case .timesOut: break
            }
        }
        let isOver = await eventually {
            if wanted.asks, cell.server == .timesOut { fixture.clock.advance(milliseconds: 30_000) }
            return reply.isThere && (!wanted.hasLater || !reply.laters.isEmpty)
        }
        #expect(isOver)
        #expect(reply.replies.count == 1)
        switch try #require(reply.replies.first) {
        case .success(let read):
            #expect(read.answer.source == wanted.source)
            #expect(read.texts == (wanted.source == .cache ? [old] : [new]))
            #expect(read.answer.isStale == wanted.isStale)
            #expect(read.subscription == nil)
        case .failure(let error):
            #expect(wanted.source == nil)
            #expect(error.code == wanted.code)
            #expect(error.reasons == wanted.reasons)
        }
        #expect(reply.laters.count == (wanted.hasLater ? 1 : 0))
        if wanted.hasLater {
            switch (cell.server, try #require(reply.laters.first)) {
            case (.answers, .success(let answer)):
                #expect(answer.entities == [Array(new.utf8)])
                #expect(answer.source == .upstream)
                #expect(!answer.isStale)
            case (.fails, .failure(let error)), (.timesOut, .failure(let error)):
                #expect(error.code == .upstreamFailed)
            default: Issue.record("\(cell.testDescription): \(reply.laters)")
            }
        }
        let left = wanted.stores ? [new] : cell.stored == .absent ? nil : [old]
        #expect(try await eventually { try await fixture.stored() == left })
        if left == [new] { #expect(try await fixture.isStale() == false) }
        #expect(await fixture.upstream.asked.count == (wanted.asks ? 1 : 0))
        if cell.policy == .networkOnlyNoStore {
            #expect(await fixture.cache.entityCount() == (cell.stored == .absent ? 0 : 1))
        }
    }

    @Test func `readers of one query at a time share one fetch`() async throws {
        let fixture = try await QueryFixture.open()
        var replies: [Reply] = []
        for policy in [FetchPolicy.cacheFirst, .networkOnly, .networkFirst, .networkOnlyNoStore, .cacheAndNetwork] {
            replies.append(try await fixture.begin(#"{"a":1,"b":2}"#, policy))
        }
        replies.append(try await fixture.begin(#"{ "b": 2, "a": 1 }"#, .cacheFirst))
        await fixture.upstream.waitForQuestions(1)
        await fixture.upstream.answer(.success(QueryFixture.result([#"{"id":"1"}"#])))
        for reply in replies {
            #expect(await eventually { reply.isThere })
            #expect(try reply.replies.first?.get().texts == [#"{"id":"1"}"#])
        }
        #expect(await fixture.upstream.asked.count == 1)
        _ = try await fixture.begin(#"{"a":1,"b":3}"#, .cacheFirst)
        await fixture.upstream.waitForQuestions(2)
    }

    @Test func `an answer after the deadline changes nothing`() async throws {
        let fixture = try await QueryFixture.open()
        let first = try await fixture.begin("{}", .networkOnly)
        await fixture.upstream.waitForQuestions(1)
        #expect(
            await eventually {
                fixture.clock.advance(milliseconds: 30_000)
                return first.isThere
            })
        let second = try await fixture.begin("{}", .networkOnly)
        await fixture.upstream.waitForQuestions(2)
        await fixture.upstream.answer(.success(QueryFixture.result([#"{"id":"late"}"#])))
        for _ in 0..<1_000 { await Task.yield() }
        #expect(!second.isThere)
        #expect(try await fixture.stored() == nil)
        #expect(await fixture.cache.entityCount() == 0)
        await fixture.upstream.answer(.success(QueryFixture.result([#"{"id":"1"}"#])))
        #expect(await eventually { second.isThere })
        #expect(try second.replies.first?.get().texts == [#"{"id":"1"}"#])
        #expect(first.replies.count == 1)
    }

    @Test func `closing answers all waiting readers, and a later answer changes nothing`() async throws {
        let journal = MemoryJournal()
        let fixture = try await QueryFixture.open(journal)
        let reply = try await fixture.begin("{}", .networkFirst)
        await fixture.upstream.waitForQuestions(1)
        try await fixture.cache.close()
        #expect(reply.replies.count == 1)
        await fixture.upstream.answer(.success(QueryFixture.result([#"{"id":"late"}"#])))
        for _ in 0..<1_000 { await Task.yield() }
        #expect(await journal.queries() == [])
    }

    @Test func `without an upstream a miss is reported as one`() async throws {
        let fixture = try await QueryFixture.open(hasUpstream: false)
        guard case .failure(let error) = try await fixture.read("{}", .cacheFirst) else {
            Issue.record("nothing was there")
            return
        }
        #expect(error.reasons == ["cache": "absent", "upstream": "there is no upstream for queries"])
    }

    @Test func `an answer that cannot be used is a failure of the upstream, and stores nothing`() async throws {
        let fixture = try await QueryFixture.open()
        try await fixture.put([#"{"id":"1"}"#])
        for resources in [[#"{"id":"2"}"#, #"{"id":"2"}"#], [#"{"name":"no id"}"#], [#"{"id":"2"},{"id":"3"}"#]] {
            let reply = try await fixture.begin("{}", .networkOnly)
            await fixture.upstream.waitForQuestions(await fixture.upstream.asked.count)
            #expect(
                await eventually { await fixture.upstream.answerIfAsked(.success(QueryFixture.result(resources))) })
            #expect(await eventually { reply.isThere })
            guard case .failure(let error)? = reply.replies.first else {
                Issue.record("\(resources) was taken")
                continue
            }
            #expect(error.code == .upstreamFailed)
            #expect(try await fixture.stored() == [#"{"id":"1"}"#])
            #expect(await fixture.cache.entityCount() == 1)
        }
    }
}

extension ScriptedQueryUpstream {
    /// Answers the oldest open question; returns false when there is none.
    func answerIfAsked(_ result: Result<QueryResult, UpstreamError>) -> Bool {
        guard hasQuestion else { return false }
        answer(result)
        return true
    }
}
