import Synchronization
import TidemarkHTTP
import TidemarkHTTPRules
import TidemarkModel

/// A server in memory that answers each request when a test says so, in any order.
final class HeldServer: HTTPTransport {
    private struct Asked {
        var exchange: HTTPExchange
        var continuation: CheckedContinuation<Result<HTTPExchangeResponse, ExchangeError>, Never>?
        var isCancelled = false
    }

    private struct State {
        /// The requests by method, in the order in which they came.
        var asked: [String: [Asked]] = [:]
        var watchers: [(method: String, count: Int, continuation: CheckedContinuation<Void, Never>)] = []
    }

    private let state = Mutex(State())

    func count(_ method: String) -> Int { state.withLock { $0.asked[method]?.count ?? 0 } }

    func asked(_ method: String) -> [HTTPExchange] { state.withLock { $0.asked[method]?.map(\.exchange) ?? [] } }

    func isCancelled(_ method: String, _ number: Int) -> Bool {
        state.withLock { $0.asked[method]?[number].isCancelled ?? false }
    }

    /// Returns when so many requests have come.
    func waitUntilAsked(_ method: String, _ count: Int) async {
        await withCheckedContinuation { continuation in
            let isThere = state.withLock { state in
                if state.asked[method]?.count ?? 0 >= count { return true }
                state.watchers.append((method, count, continuation))
                return false
            }
            if isThere { continuation.resume() }
        }
    }

    /// Answers a request that waits; one that was cancelled has its answer already.
    func answer(
        _ method: String, _ number: Int, _ body: String, _ fields: [(String, String)] = [], status: Int = 200
    ) {
        let head = ResponseHead(
            status: status, fields: HeaderFields(fields.map { .init(ByteString($0.0), ByteString($0.1)) }))
        take(method, number)?.resume(
            returning: .success(HTTPExchangeResponse(head: head, body: HTTPBody(Array(body.utf8)))))
    }

    private func take(
        _ method: String, _ number: Int
    ) -> CheckedContinuation<Result<HTTPExchangeResponse, ExchangeError>, Never>? {
        state.withLock { state in
            defer { state.asked[method]?[number].continuation = nil }
            return state.asked[method]?[number].continuation
        }
    }

    func exchange(_ exchange: HTTPExchange) async throws(ExchangeError) -> HTTPExchangeResponse {
        let method = exchange.method.description
        let place = Mutex<Int?>(nil)
        return try await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let watchers = state.withLock { state in
                    state.asked[method, default: []].append(Asked(exchange: exchange, continuation: continuation))
                    let count = state.asked[method]?.count ?? 0
                    place.withLock { $0 = count - 1 }
                    let due = state.watchers.filter { $0.method == method && $0.count <= count }
                    state.watchers.removeAll { $0.method == method && $0.count <= count }
                    return due
                }
                for watcher in watchers { watcher.continuation.resume() }
            }
        } onCancel: {
            guard let number = place.withLock({ $0 }) else { return }
            state.withLock { $0.asked[method]?[number].isCancelled = true }
            take(method, number)?.resume(returning: .failure(ExchangeError(.cancelled, "as the test says")))
        }.get()
    }
}
