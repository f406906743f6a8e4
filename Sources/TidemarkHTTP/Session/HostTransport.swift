import Synchronization
import Tidemark
import TidemarkHTTPRules
import TidemarkJSON
import TidemarkMessages
import TidemarkModel
import TidemarkStore

/// Performs HTTP exchanges through a session's host: one `http.exchange` call per hop.
///
/// - Source: Protocol/http.md, the host as transport.
package struct HostTransport: HTTPTransport {
    private let calls: HostCalls
    private let numbers = Numbers()

    /// Numbers exchanges, from 1.
    private final class Numbers: Sendable {
        private let last = Mutex<Int64>(0)

        func next() -> Int64 {
            last.withLock { last in
                last += 1
                return last
            }
        }
    }

    /// Creates a transport over a session's calls to its host.
    package init(_ calls: HostCalls) { self.calls = calls }

    /// Asks the host to perform one exchange, and returns its complete response.
    ///
    /// - Throws: ``ExchangeError`` with the code that the host named; `connectionLost` without one, or if its answer
    ///   cannot be used; `offline` if the host does not implement the method.
    package func exchange(_ exchange: HTTPExchange) async throws(ExchangeError) -> HTTPExchangeResponse {
        let number = numbers.next()
        let result: JSONSlice
        do throws(UpstreamError) {
            result = try await calls.call("http.exchange", timeout: exchange.streamTimeout ?? exchange.timeout) {
                line in
                line.member("exchange", number)
                line.member("method", Optional(exchange.method))
                line.member("url", Optional(exchange.url.text))
                line.headers(exchange.fields)
                if !exchange.body.isEmpty { line.body(exchange.body, isText: HTTPText.isText(exchange.fields)) }
            }
        } catch {
            throw ExchangeError(HostTransport.code(error), error.message)
        }
        do throws(CacheError) {
            let params = try Params(result, path: "result")
            guard let status = try params.integer("status", in: 100...999) else {
                throw params.wrong("status", "the status of the answer")
            }
            let fields = try params.headers("headers") ?? HeaderFields()
            let head = ResponseHead(
                status: Int(status), reason: try params.text("reason") ?? "", fields: fields)
            return HTTPExchangeResponse(head: head, body: HTTPBody(try params.body() ?? []))
        } catch {
            throw ExchangeError(
                .connectionLost, "the host's answer to http.exchange cannot be used: \(error.message)")
        }
    }

    /// Returns the code that the host named. A host without `http.exchange` counts as offline.
    private static func code(_ error: UpstreamError) -> ExchangeCode {
        if let code = error.code.flatMap({ ExchangeCode(rawValue: $0) }) { return code }
        return error.isFinal ? .offline : .connectionLost
    }
}
