import TestTraits
import Testing
import Tidemark
import TidemarkModel
import TidemarkSession
import TidemarkTesting

@testable import TidemarkServer

/// The contents of a stream when a request is answered.
@Suite(.pooled) struct MessageOrderTests {
    private func live() async throws -> LiveCache {
        let cache = try await SyncCache.open(journal: MemoryJournal())
        let configuration = CacheServerConfiguration(token: AccessToken())
        let settings = Session.Settings(
            limits: cache.configuration.limits, defaultLibrary: "", logger: configuration.logger)
        return LiveCache(cache, configuration: configuration, settings: settings)
    }

    @Test func `the stream has every notification before the answer is there`() async throws {
        let live = try await live()
        let connected = try await live.hub.connect(to: nil, after: 0)
        let observe = #"{"jsonrpc":"2.0","id":1,"method":"entity.observe","params":{"resource_type":"file","id":"1"}}"#
        _ = await live.answer(to: Array(observe.utf8), stream: connected.stream.id)
        for number in 1...100 {
            let put =
                #"{"jsonrpc":"2.0","id":\#(number),"method":"cache.transaction","params":{"operations":[{"op":"put","resource_type":"file","resource":{"id":"1","n":\#(number)}}]}}"#
            // The change is made by a request that names no stream.
            let answer = await live.answer(to: Array(put.utf8), stream: nil)
            #expect(String(decoding: answer ?? [], as: UTF8.self).contains("\"result\":{}"))
            guard case .send(let text, _) = await connected.stream.nextStep(connected.connection) else {
                Issue.record("change \(number) is not in the stream")
                return
            }
            #expect(String(decoding: text, as: UTF8.self).contains("\"n\":\(number)}"))
        }
        await live.hub.shutDown()
        #expect(await connected.stream.nextStep(connected.connection) == .end(.bye))
        try await live.cache.close()
    }

    @Test func `a waiting reader of a stream is woken, and ends with its task`() async throws {
        let live = try await live()
        let connected = try await live.hub.connect(to: nil, after: 0)
        let reading = Task { await connected.stream.nextStep(connected.connection) }
        let again = try await live.hub.connect(to: connected.stream.id, after: 0)
        #expect(await reading.value == .replaced)
        let waiting = Task { await again.stream.nextStep(again.connection) }
        waiting.cancel()
        #expect(await waiting.value == .wait)
        await live.hub.shutDown()
        try await live.cache.close()
    }
}
