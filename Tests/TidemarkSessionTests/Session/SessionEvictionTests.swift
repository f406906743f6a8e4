import TestTraits
import Testing
import Tidemark
import TidemarkMessages
import TidemarkTesting

@testable import TidemarkSession

/// A host that is asked before entities are evicted.
@Suite(.pooled) struct SessionEvictionTests {
    private static let question =
        #"{"jsonrpc":"2.0","id":"tm-1","method":"cache.will_evict","params":{"tier":"entities","bytes":1,"limit":0}}"#

    /// The answer to the flush. No request waits for the question, so the question may come after this answer.
    private static let flushed = #"{"jsonrpc":"2.0","id":1,"result":{}}"#

    private func stats(_ evictions: Int, _ line: String?) -> Bool {
        line?.contains(#""evictions":\#(evictions),"#) == true
    }

    /// The host's answer, and the number of evicted entities.
    @Test(arguments: [
        (#""result":{"evict":false}"#, 0), (#""result":{"evict":true}"#, 1), (#""result":{}"#, 1),
        (#""result":{"evict":"no"}"#, 1), (#""error":{"code":-32601,"message":"no such method"}"#, 1),
    ])
    func `the host decides, and an unusable answer approves`(answer: String, evictions: Int) async throws {
        let fixture = try await SessionFixture(asksBeforeEvict: true) { $0.eviction.entityCountMax = 0 }
        var lines = SessionLines(fixture.output)
        fixture.send(SessionFixture.change(1), SessionFixture.request(1, "cache.flush"))
        let said = [await lines.next(), await lines.next()]
        #expect(Set(said) == [Self.question, Self.flushed])
        fixture.send(#"{"jsonrpc":"2.0","id":"tm-1",\#(answer)}"#)
        let isRight = await eventually { await fixture.cache.evictedCount == evictions }
        #expect(isRight)
        fixture.send(SessionFixture.request(2, "entity.get", #"{"resource_type":"file","id":"x","library_id":"a"}"#))
        #expect(await lines.next()?.contains(evictions == 1 ? #""miss":"evicted""# : #""miss":null"#) == true)
        fixture.calls.close()
        try await fixture.finish()
    }

    @Test func `a host that does not answer in time approves the eviction`() async throws {
        let fixture = try await SessionFixture(timeout: 1_000, asksBeforeEvict: true) { $0.eviction.entityCountMax = 0 }
        var lines = SessionLines(fixture.output)
        fixture.send(SessionFixture.change(1), SessionFixture.request(1, "cache.flush"))
        let said = [await lines.next(), await lines.next()]
        #expect(Set(said) == [Self.question, Self.flushed])
        #expect(
            await eventually {
                fixture.clock.advance(milliseconds: 1_000)
                return await fixture.cache.evictedCount == 1
            })
        try await fixture.finish()
    }
}
