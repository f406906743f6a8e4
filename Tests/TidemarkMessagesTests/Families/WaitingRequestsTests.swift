import TestTraits
import Testing

@testable import TidemarkMessages

@Suite(.pooled) struct WaitingRequestsTests {
    private let responder = Responder(id: Message.nullID, target: .nobody)

    @Test func `a request counts as waiting until its answer was given`() async throws {
        let waiting = WaitingRequests()
        let first = try waiting.add(responder)
        let second = try waiting.add(responder)
        waiting.finish(first) { _ in #expect(!waiting.isEmpty) }
        #expect(!waiting.isEmpty)
        waiting.finish(second) { _ in #expect(!waiting.isEmpty, "the end must not overtake the last answer") }
        #expect(waiting.isEmpty)
        await waiting.waitUntilEmpty()
    }

    @Test func `a request is answered once`() throws {
        let waiting = WaitingRequests()
        let number = try waiting.add(responder)
        var answerCount = 0
        for _ in 0..<3 { waiting.finish(number) { _ in answerCount += 1 } }
        #expect(answerCount == 1 && waiting.isEmpty)
    }
}
