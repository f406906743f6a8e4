import Synchronization
import TidemarkHTTP
import TidemarkHTTPRules
import TidemarkModel

/// A transport in memory: each step of an answer comes when the test lets it.
final class SteppedTransport: HTTPTransport {
    enum Step: Sendable {
        case head(type: String)
        case chunk(String)
        case end
    }

    private let steps: AsyncStream<Step>
    private let source: AsyncStream<Step>.Continuation
    private let state = Mutex((exchanges: [HTTPExchange](), readCount: 0))

    init() { (steps, source) = AsyncStream.makeStream() }

    var exchanges: [HTTPExchange] { state.withLock { $0.exchanges } }
    /// The steps that were waited for so far.
    var readCount: Int { state.withLock { $0.readCount } }

    func give(_ step: Step) { source.yield(step) }

    private func next() async throws(ExchangeError) -> Step {
        state.withLock { $0.readCount += 1 }
        for await step in steps { return step }
        throw ExchangeError(.cancelled, "the exchange was cancelled")
    }

    func exchange(_ exchange: HTTPExchange) async throws(ExchangeError) -> HTTPExchangeResponse {
        state.withLock { $0.exchanges.append(exchange) }
        guard case .head(let type) = try await next() else { throw ExchangeError(.connectionLost, "no head") }
        return HTTPExchangeResponse(
            head: ResponseHead(
                status: 200, reason: "", fields: HeaderFields([.init("Content-Type", ByteString(type))])),
            body: HTTPBody(
                next: { () throws(ExchangeError) in
                    guard case .chunk(let text) = try await self.next() else { return nil }
                    return Array(text.utf8)
                }, cancel: { [source] in source.finish() }))
    }
}
