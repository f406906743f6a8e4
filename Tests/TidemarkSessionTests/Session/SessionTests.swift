import Foundation
import TestTraits
import Testing
import Tidemark
import TidemarkMessages
import TidemarkModel
import TidemarkTesting

@testable import TidemarkSession

/// Sessions in this process, for cases that a transcript cannot reach: limits, bounds and clocks.
@Suite(.pooled) struct SessionTests {
    @Test func `a host that never reads can send events for ever`() async throws {
        let fixture = try await SessionFixture()
        let payload = String(repeating: "x", count: 1_000)
        for sequence in 1...2_000 as ClosedRange<Int64> {
            fixture.send(
                EventLine.change(
                    #"{"id":"\#(sequence % 100)","x":"\#(payload)"}"#, library: "a", sequence: sequence))
        }
        let isApplied = await eventually { await fixture.cache.status(of: "a").cursor == EventSequence(2_000) }
        #expect(isApplied)
        let waiting = fixture.outputQueue.byteCounts
        #expect(waiting.notifications <= 2 * fixture.outputQueue.bounds.notificationByteCountMax)
        #expect(waiting.answers == 0)
        fixture.output.closeReading()
        try await fixture.finish()
    }

    @Test func `a host that asks and never reads has to wait, and continues when it reads`() async throws {
        let fixture = try await SessionFixture()
        let big = String(repeating: "x", count: 64 << 10)
        fixture.send(
            #"{"library_id":"a","sequence":1,"event":{"ResourceChanged":{"resource_type":"file","#
                + #""resource":{"id":"x","x":"\#(big)"}}}}"#)
        let params = #"{"library_id":"a","resource_type":"file","id":"x"}"#
        for id in 1...40 { fixture.send(SessionFixture.request(id, "entity.get", params)) }
        fixture.send(SessionFixture.change(2, "y"))
        #expect(
            await eventually { fixture.outputQueue.byteCounts.answers >= fixture.outputQueue.bounds.answerByteCountMax }
        )
        for _ in 0..<2_000 { await Task.yield() }
        #expect(fixture.outputQueue.byteCounts.answers < fixture.outputQueue.bounds.answerByteCountMax + (128 << 10))
        #expect(await fixture.cache.status(of: "a").cursor == EventSequence(1))
        var lines = SessionLines(fixture.output)
        for id in 1...40 { #expect(await lines.next()?.hasPrefix(#"{"jsonrpc":"2.0","id":\#(id),"#) == true) }
        #expect(await eventually { await fixture.cache.status(of: "a").cursor == EventSequence(2) })
        try await fixture.finish()
        #expect(await lines.rest() == [])
    }

    @Test func `a host that goes away ends the session, and its lines are kept`() async throws {
        let fixture = try await SessionFixture()
        fixture.output.closeReading()
        fixture.send(SessionFixture.change(1), SessionFixture.request(1, "cache.stats"))
        try await fixture.end()
        #expect(await fixture.cache.status(of: "a").cursor == EventSequence(1))
    }

    @Test func `the answer that a full buffer waits for is found after other lines`() async throws {
        let fixture = try await SessionFixture { $0.limits.heldEventCountMax = 4 }
        var lines = SessionLines(fixture.output)
        fixture.send(SessionFixture.change(1))
        for sequence in 3...9 as ClosedRange<Int64> { fixture.send(SessionFixture.change(sequence)) }
        #expect(
            await lines.next()
                == #"{"jsonrpc":"2.0","id":"tm-1","method":"events.since.v1","params":{"library_id":"a","sequence":2}}"#
        )
        fixture.send(
            SessionFixture.change(10), SessionFixture.change(1, library: "b"),
            SessionFixture.request(7, "entity.get", #"{"library_id":"a","resource_type":"file","id":"x"}"#),
            #"{"jsonrpc":"2.0","id":"tm-1","result":{"events":[\#(SessionFixture.change(2))]}}"#)
        #expect(
            await lines.next()
                == #"{"jsonrpc":"2.0","id":7,"result":{"entity":{"id":"x","n":10},"pending":false,"sequence":10,"stale":false,"miss":null}}"#
        )
        try await fixture.finish()
        #expect(await lines.rest() == [])
        #expect(await fixture.cache.libraries().map(\.phase) == [.live, .live])
        #expect(await fixture.cache.counts().isConserved())
    }

    @Test func `a host that sends other lines instead of the answer loses the gap, and nothing hangs`() async throws {
        let fixture = try await SessionFixture { $0.limits.heldEventCountMax = 4 }
        var lines = SessionLines(fixture.output)
        fixture.send(SessionFixture.change(1))
        for sequence in 3...9 as ClosedRange<Int64> { fixture.send(SessionFixture.change(sequence)) }
        #expect(await lines.next()?.contains("events.since.v1") == true)
        let big = String(repeating: "x", count: 64 << 10)
        for sequence in 10...40 as ClosedRange<Int64> {
            fixture.send(
                EventLine.change(#"{"id":"big","x":"\#(big)"}"#, library: "a", sequence: sequence))
        }
        fixture.send(SessionFixture.request(1, "cache.caught_up", #"{"library_id":"a","sequence":40}"#))
        #expect(await lines.next() == #"{"jsonrpc":"2.0","id":1,"result":{"cursor":40,"state":"stale"}}"#)
        #expect(
            await fixture.cache.status(of: "a").lost
                == [LostRange(first: EventSequence(2), last: EventSequence(2))])
        try await fixture.finish()
        #expect(await fixture.cache.counts().isConserved())
    }

    @Test func `an array of too many requests is refused as a whole`() async throws {
        let fixture = try await SessionFixture()
        var lines = SessionLines(fixture.output)
        let note = #"{"jsonrpc":"2.0","method":"cache.flush"}"#
        fixture.send("[" + Array(repeating: note, count: 1_001).joined(separator: ",") + "]")
        #expect(
            await lines.next()
                == #"{"jsonrpc":"2.0","id":null,"error":{"code":1005,"message":"the array holds 1001 messages, none was performed: send at most 1000","data":{"code":"limit_exceeded"}}}"#
        )
        let requests = (1...1_000).map { SessionFixture.request($0, "entity.get", #"{"resource_type":"a","id":1}"#) }
        fixture.send("[" + requests.joined(separator: ",") + "]")
        let answer = try #require(await lines.next())
        #expect(answer.hasPrefix(#"[{"jsonrpc":"2.0","id":1,"result""#))
        #expect(answer.components(separatedBy: #""miss":"absent""#).count == 1_001)
        try await fixture.finish()
        #expect(await lines.rest() == [])
    }

    @Test func `requests that wait are bounded, and answered at the end`() async throws {
        let fixture = try await SessionFixture()
        var lines = SessionLines(fixture.output)
        let params = #"{"library_id":"a","sequence":1}"#
        for start in stride(from: 0, to: WaitingRequests.countMax, by: 1_000) {
            fixture.send(
                (start..<start + 1_000).map { SessionFixture.request($0, "cache.caught_up", params) }.joined(
                    separator: "\n"))
        }
        fixture.send(SessionFixture.request(-1, "cache.caught_up", params))
        #expect(
            await lines.next()
                == #"{"jsonrpc":"2.0","id":-1,"error":{"code":1005,"message":"10000 requests wait already: ask again when some are answered","data":{"code":"limit_exceeded"}}}"#
        )
        async let end: Void = fixture.finish()
        var found: Set<String> = []
        for line in await lines.rest() { found.insert(line) }
        try await end
        #expect(
            found
                == Set(
                    (0..<WaitingRequests.countMax).map {
                        #"{"jsonrpc":"2.0","id":\#($0),"result":{"cursor":null,"state":"cold"}}"#
                    }))
    }

    @Test func `the answers of one array are bounded`() throws {
        let pipe = PipeLines()
        let outputQueue = OutputQueue(pipe.writeEnd, hasRoom: {}, isAbandoned: {})
        let batch = BatchAnswer(count: 3, target: outputQueue, byteCountMax: outputQueue.answerByteCountMax)
        let big = Array("\"\(String(repeating: "x", count: 10 << 20))\"".utf8)
        for index in 0..<3 { batch.add(.success(big), to: Array("\(index)".utf8), at: index) }
        #expect(outputQueue.byteCounts.answers < (11 << 20))
        pipe.closeReading()
    }

    @Test func `every method of the protocol exists`() async throws {
        let fixture = try await SessionFixture()
        fixture.send(SessionFixture.request(1, "initialize", "{}"))
        var lines = SessionLines(fixture.output)
        let greeting = try #require(await lines.next())
        try await fixture.finish()
        let names = [
            "cache.caught_up", "cache.clear", "cache.erase", "cache.explain", "cache.flush", "cache.invalidate",
            "cache.remove",
            "cache.stats", "cache.transaction", "doctor.findings", "entity.find", "entity.get", "entity.list",
            "entity.observe", "facets", "graphql.mutate", "graphql.observe", "graphql.part", "graphql.read",
            "graphql.read_fragment", "graphql.stop", "graphql.write", "graphql.write_fragment", "http.fetch",
            "http.invalidate", "http.list", "http.observe", "initialize", "log.list", "log.observe",
            "network.disturb", "observe.cancel", "optimistic.commit", "optimistic.list", "optimistic.retry",
            "optimistic.rollback",
            "optimistic.update", "outbox.list", "outbox.pause", "outbox.resume", "quarantine.list",
            "quarantine.retry", "query.list", "query.observe", "query.put", "query.read", "view.define",
            "view.drop", "view.explain", "view.list", "view.move", "view.observe", "view.read",
        ]
        let methods = names.map { "\"\($0)\"" }.joined(separator: ",")
        #expect(greeting.contains(#""methods":[\#(methods)]"#))
    }
}
