import Tidemark
import TidemarkHTTPRecords
import TidemarkHTTPRules
import TidemarkModel
import TidemarkStore

/// An exchange under way, and the requests that wait for its response.
struct RunningExchange {
    typealias Outcome = Result<CompletedExchange, ExchangeError>

    /// The position in the order of all requests and removals: a request made after a removal does not join an older
    /// exchange.
    let asked: HTTPQuestion
    let key: ExchangeKey
    var task: Task<Void, Never>?
    /// The waiting requests, by number. Their number is bounded by the callers.
    var waiters: [Int: CheckedContinuation<Outcome, Never>] = [:]
}

/// Exchanges that several requests share.
///
/// | event | step |
/// |---|---|
/// | a request | it joins an equal exchange that nothing has outdated, or begins one |
/// | the time of one request is over | it fails with `timed_out`; the others continue to wait |
/// | the time of the last request is over | the exchange is ended |
/// | the exchange ends | everybody who waits gets its outcome |
///
/// Each request keeps its own time limit, so a shared exchange gets ``exchangeTimeMax`` from the transport.
///
/// Laws: L12.
extension HTTPClient {
    /// The time limit of a shared exchange: a day, which is also the longest time limit of a request.
    static let exchangeTimeMax: Duration = .seconds(86_400)

    /// Starts an exchange, or joins an equal one under way.
    ///
    /// - Returns: The outcome, which is `timedOut` if the request's own time limit passes first; and true if the
    ///   request joined.
    /// - Throws: ``CacheError`` `limitExceeded` if too many exchanges are under way.
    func share(
        _ question: Question, _ validators: StoredValidators?, _ lookup: HTTPResponseStore.Lookup?
    ) async throws(CacheError) -> (outcome: RunningExchange.Outcome, isCollapsed: Bool) {
        let key = ExchangeKey(question.fetch, validators)
        if let number = joinable[key], let running = exchanges[number], running.asked.mayJoin {
            return (await wait(for: number, question.fetch.timeout), true)
        }
        try checkRoom()
        let number = nextExchange
        nextExchange += 1
        var question = question
        question.isShared = true
        exchanges[number] = RunningExchange(asked: question.asked, key: key)
        joinable[key] = number
        exchanges[number]?.task = Task { [question] in
            let outcome = await self.complete(question, validators, lookup)
            self.close(number)
            await self.tellObservers()
            self.finish(number, outcome)
        }
        return (await wait(for: number, question.fetch.timeout), false)
    }

    func checkRoom() throws(CacheError) {
        guard exchanges.count < HTTPClient.exchangeCountMax else {
            throw CacheError(.limitExceeded, "\(exchanges.count) exchanges are under way: ask again later")
        }
    }

    /// Waits for the outcome of an exchange, at most as long as the request's time limit.
    private func wait(for number: Int, _ limit: Duration) async -> RunningExchange.Outcome {
        let waiter = nextWaiter
        nextWaiter += 1
        let time = Task { [timer] in
            do throws(CancellationError) {
                try await timer.sleep(milliseconds: limit.wholeMilliseconds)
                self.timeIsOver(waiter, number)
            } catch {
                // The exchange ended first.
            }
        }
        let outcome = await withCheckedContinuation { continuation in
            // The actor has not been left since the exchange was found or created.
            precondition(exchanges[number] != nil, "exchange \(number) has ended before anybody waited for it")
            exchanges[number]?.waiters[waiter] = continuation
        }
        time.cancel()
        await time.value
        return outcome
    }

    private func timeIsOver(_ waiter: Int, _ number: Int) {
        guard let continuation = exchanges[number]?.waiters.removeValue(forKey: waiter) else { return }
        continuation.resume(returning: .failure(HTTPClient.timedOut))
        guard exchanges[number]?.waiters.isEmpty ?? false else { return }
        close(number)
        exchanges[number]?.task?.cancel()
    }

    /// Prevents further requests from joining an exchange.
    private func close(_ number: Int) {
        guard let key = exchanges[number]?.key, joinable[key] == number else { return }
        joinable[key] = nil
    }

    private func finish(_ number: Int, _ outcome: RunningExchange.Outcome) {
        guard let running = exchanges.removeValue(forKey: number) else { return }
        for (_, waiter) in running.waiters.sorted(by: { $0.key < $1.key }) { waiter.resume(returning: outcome) }
    }

    private static let timedOut = ExchangeError(.timedOut, "no whole answer came in time")
}
